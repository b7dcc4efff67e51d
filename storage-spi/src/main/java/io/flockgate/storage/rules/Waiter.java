package io.flockgate.storage.rules;

import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Key;
import org.jspecify.annotations.Nullable;

/** One place in a key's queue; also the ticket that the claimant gets. */
public final class Waiter implements Ticket {
    private final KeyState state;
    private final Claimant claimant;
    private final long leaseSeconds;
    private final long queuedAtNanos;

    /** Neighbours in the queue, so that leaving from the middle is O(1). */
    @Nullable
    Waiter previous;

    @Nullable
    Waiter next;

    boolean queued;

    /** Rises within a queue. */
    private long number;

    Waiter(KeyState state, Claimant claimant, long leaseSeconds, long now) {
        this.state = state;
        this.claimant = claimant;
        this.leaseSeconds = leaseSeconds;
        this.queuedAtNanos = now;
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

    long leaseSeconds() {
        return leaseSeconds;
    }

    void number(long given) {
        number = given;
    }

    /**
     * Differs from that of every other waiter that the key has or had, provided that the clock
     * advances.
     */
    public long number() {
        return number;
    }

    public long queuedAtNanos() {
        return queuedAtNanos;
    }
}
