package io.flockgate.storage;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The name of a lock or semaphore: 1 to 256 bytes, none of them space, TAB, LF or CR (line
 * protocol, "Keys"). Keys are bytes, not characters: two keys are equal only if all their bytes
 * are. Immutable.
 */
public final class Key {
    /** The maximum number of bytes of a key. */
    public static final int MAX_BYTES = 256;

    /**
     * Random for each process, so that a client cannot choose keys that fall into one hash bucket.
     * The hash of a key therefore differs between processes and must not leave this one.
     */
    private static final long SECRET = new SecureRandom().nextLong();

    private static final long SECOND_SECRET = new SecureRandom().nextLong();

    private static final VarHandle EIGHT_BYTES =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final byte[] bytes;
    private final int hash;

    private Key(byte[] bytes, int hash) {
        this.bytes = bytes;
        this.hash = hash;
    }

    /** The key of these bytes (copied), or null when they are not a valid key. */
    public static @Nullable Key copyOf(byte[] source, int from, int to) {
        int length = to - from;
        if (length < 1 || length > MAX_BYTES) {
            return null;
        }
        for (int i = from; i < to; i++) {
            if (isBlank(source[i])) {
                return null;
            }
        }
        byte[] bytes = Arrays.copyOfRange(source, from, to);
        return new Key(bytes, hash(bytes));
    }

    /**
     * The key of this text in UTF-8.
     *
     * @throws IllegalArgumentException when it is not a valid key
     */
    public static Key of(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        Key key = copyOf(bytes, 0, bytes.length);
        if (key == null) {
            throw new IllegalArgumentException(
                    "not a key: a key has 1 to 256 bytes, none of them space, TAB, LF or CR");
        }
        return key;
    }

    private static boolean isBlank(byte b) {
        return b <= ' ' && (b == ' ' || b == '\t' || b == '\n' || b == '\r');
    }

    /**
     * Reads eight bytes at a time; the last eight may overlap others. The uppermost bits choose
     * shards and buckets.
     */
    private static int hash(byte[] bytes) {
        int length = bytes.length;
        long state = length;
        if (length < Long.BYTES) {
            for (byte b : bytes) {
                state = state << 8 | (b & 0xff);
            }
        } else {
            int last = length - Long.BYTES;
            for (int i = 0; i < last; i += Long.BYTES) {
                state = mix((long) EIGHT_BYTES.get(bytes, i), state);
            }
            state = mix((long) EIGHT_BYTES.get(bytes, last), state);
        }
        return (int) (mix(length, state) >>> 32);
    }

    /**
     * Combines both halves of a product of 128 bits. With one half alone, a change of the uppermost
     * bits would have the same effect for every secret.
     */
    private static long mix(long block, long state) {
        long a = block ^ SECRET;
        long b = state ^ SECOND_SECRET;
        return Math.unsignedMultiplyHigh(a, b) ^ (a * b);
    }

    public int length() {
        return bytes.length;
    }

    /** A copy of the bytes. */
    public byte[] toBytes() {
        return bytes.clone();
    }

    public boolean startsWith(byte[] prefix) {
        return bytes.length >= prefix.length && Arrays.equals(bytes, 0, prefix.length, prefix, 0, prefix.length);
    }

    /** Whether these bytes occur anywhere in the key. */
    public boolean contains(byte[] part) {
        for (int at = 0; at + part.length <= bytes.length; at++) {
            if (Arrays.equals(bytes, at, at + part.length, part, 0, part.length)) {
                return true;
            }
        }
        return false;
    }

    /**
     * The order in which a hash-ordered storage lists its keys: by unsigned hash, then by bytes. It
     * differs between processes.
     */
    public static int compareByHash(Key a, Key b) {
        int byHash = Integer.compareUnsigned(a.hash, b.hash);
        return byHash != 0 ? byHash : Arrays.compareUnsigned(a.bytes, b.bytes);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Key key && hash == key.hash && Arrays.equals(bytes, key.bytes);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** The bytes read as UTF-8, with U+FFFD for invalid ones. For display, not for comparisons. */
    @Override
    public String toString() {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
