package io.flockgate.storage.rules;

import io.flockgate.storage.Claimant;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import org.jspecify.annotations.Nullable;

/**
 * One slot of a key in somebody's hands. Doubles as the grant that the claimant is given, which saves an object per held
 * key; as such it only shows what never changes.
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

    /** Where this holder stands in its keeper's heap of deadlines; -1 when in none. Not used by the rules. */
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

    /** By the clock that gave {@code now}; compare by difference only, it may have wrapped. */
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
