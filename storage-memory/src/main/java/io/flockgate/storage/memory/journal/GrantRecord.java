package io.flockgate.storage.memory.journal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Token;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A grant in the journal. All numbers are big-endian.
 *
 * <pre>
 * 'G'  fence (8)  salt (8)  lease in seconds (8)  time of the grant in ms since 1970 (8)
 *      limit (8), 0 for a lock  length of the key (2)  key  memo
 * </pre>
 *
 * @param leaseSeconds the longest lease that the grant has had
 * @param memo of the claimant, one character for each byte
 */
public record GrantRecord(Token token, long leaseSeconds, long grantedAtMillis, Key key, long limit, String memo) {
    static final byte TYPE = 'G';

    private static final int FENCE = 1;
    private static final int LEASE = FENCE + 2 * Long.BYTES;
    private static final int KEY_LENGTH = LEASE + 3 * Long.BYTES;
    private static final int KEY = KEY_LENGTH + Short.BYTES;

    public Kind kind() {
        return limit == 0 ? Kind.LOCK : Kind.SEMAPHORE;
    }

    /** The limit of the key, which is 1 for a lock. */
    public long slots() {
        return Math.max(limit, 1);
    }

    byte[] encode() {
        byte[] name = key.toBytes();
        byte[] client = memo.getBytes(ISO_8859_1);
        return ByteBuffer.allocate(KEY + name.length + client.length)
                .put(TYPE)
                .putLong(token.fence())
                .putLong(token.salt())
                .putLong(leaseSeconds)
                .putLong(grantedAtMillis)
                .putLong(limit)
                .putShort((short) name.length)
                .put(name)
                .put(client)
                .array();
    }

    /**
     * @throws IOException if these are not the bytes of a grant
     */
    static GrantRecord decode(byte[] record) throws IOException {
        int keyLength = record.length < KEY ? 0 : ByteBuffer.wrap(record).getShort(KEY_LENGTH);
        int memoAt = KEY + keyLength;
        if (record.length < KEY || record[0] != TYPE || keyLength < 1 || memoAt > record.length) {
            throw new IOException("a record is no grant");
        }
        Key key = Key.copyOf(record, KEY, memoAt);
        if (key == null) {
            throw new IOException("the key of a grant is none");
        }
        ByteBuffer numbers = ByteBuffer.wrap(record, FENCE, KEY_LENGTH - FENCE);
        GrantRecord read = new GrantRecord(
                new Token(numbers.getLong(), numbers.getLong()),
                numbers.getLong(),
                numbers.getLong(),
                key,
                numbers.getLong(),
                new String(record, memoAt, record.length - memoAt, ISO_8859_1));
        if (!read.isSound()) {
            throw new IOException("a record is no grant that can have been made");
        }
        return read;
    }

    /** Decodes a record that has been decoded before. */
    static GrantRecord ofImage(byte[] record) {
        try {
            return decode(record);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private boolean isSound() {
        return token.fence() != 0 && leaseSeconds >= 1 && leaseSeconds <= Claim.MAX_SECONDS && limit >= 0;
    }

    /** Extends the lease of an encoded grant. */
    static void lengthen(byte[] record, long leaseSeconds) {
        ByteBuffer bytes = ByteBuffer.wrap(record);
        bytes.putLong(LEASE, Math.max(leaseSeconds, bytes.getLong(LEASE)));
    }
}
