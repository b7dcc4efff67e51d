package io.flockgate.storage.rules;

import io.flockgate.storage.Claimant;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import org.jspecify.annotations.Nullable;

/**
 * One held slot of a key. It is also the grant that the claimant gets, which saves an object per
 * held key. The grant shows only what never changes.
 */
public final class Holder implements Grant {
    private final KeyState state;
    private final Claimant claimant;
    private final long fence;
    private final long salt;
    private final long grantedAtNanos;
    private long leaseEndNanos;

    /** Neighbours in the key's list of holders, oldest first. */
    @Nullable
    Holder previous;

    @Nullable
    Holder next;

    /**
     * The position of this holder in a heap of deadlines; -1 when it is in none. For the storage;
     * the rules do not use it.
     */
    private int heapIndex = -1;

    Holder(KeyState state, Claimant claimant, long fence, long salt, long now, long leaseEndNanos) {
        this.state = state;
        this.claimant = claimant;
        this.fence = fence;
        this.salt = salt;
        this.grantedAtNanos = now;
        this.leaseEndNanos = leaseEndNanos;
    }

    public KeyState state() {
        return state;
    }

    public Claimant claimant() {
        return claimant;
    }

    @Override
    public Key key() {
        return state.key();
    }

    @Override
    public Kind kind() {
        return state.kind();
    }

    @Override
    public long fence() {
        return fence;
    }

    @Override
    public long salt() {
        return salt;
    }

    @Override
    public long grantedAtNanos() {
        return grantedAtNanos;
    }

    /**
     * The end of the lease, by the clock of {@code now}. The clock may wrap, so compare by
     * difference only.
     */
    public long leaseEndNanos() {
        return leaseEndNanos;
    }

    void leaseEnds(long nanos) {
        leaseEndNanos = nanos;
    }

    boolean hasEnded(long now) {
        return now - leaseEndNanos >= 0;
    }

    public int heapIndex() {
        return heapIndex;
    }

    public void heapIndex(int index) {
        heapIndex = index;
    }
}
