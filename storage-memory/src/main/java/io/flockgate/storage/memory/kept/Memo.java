package io.flockgate.storage.memory.kept;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The memo of a claimant, compared by its bytes. Grants of equal memos belong to one client.
 * Comparable, because clients could choose memos of one hash, and a hash map then searches a tree.
 * Immutable.
 */
public final class Memo implements Comparable<Memo> {
    private final byte[] bytes;

    private Memo(byte[] bytes) {
        this.bytes = bytes;
    }

    /** The memo in these bytes, which must no longer change. */
    static Memo of(byte[] bytes) {
        return new Memo(bytes);
    }

    static Memo of(byte[] source, int from) {
        return new Memo(Arrays.copyOfRange(source, from, source.length));
    }

    /** Must not be modified. */
    byte[] bytes() {
        return bytes;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Memo memo && Arrays.equals(bytes, memo.bytes);
    }

    @Override
    public int compareTo(Memo other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }
}
