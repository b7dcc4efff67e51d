package io.flockgate.storage.rules;

import io.flockgate.storage.Claimant;
import io.flockgate.storage.Grant.Ending;

/** Receives the changes that a call on a {@link KeyState} makes, in their order. */
public interface KeyStateListener {
    /**
     * Whether this claimant may be granted a slot now. False while its grant cannot be made
     * durable.
     */
    default boolean canHold(Claimant claimant) {
        return true;
    }

    /** A claim or a waiter got a slot, and its lease is running. */
    void held(Holder holder);

    /** The lease of a holder now ends at another time. */
    void renewed(Holder holder);

    /** A slot was freed. */
    void ended(Holder holder, Ending ending);

    /** A waiter left the head of the queue for a slot; {@link #held} was called before. */
    void promoted(Waiter waiter, Holder holder);

    /**
     * A slot is free and a claim waits, but the grant cannot be made now. {@link KeyState#promote}
     * must be called later.
     */
    void stalled(KeyState key);
}
