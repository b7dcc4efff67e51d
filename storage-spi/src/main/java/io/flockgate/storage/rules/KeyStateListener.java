package io.flockgate.storage.rules;

import io.flockgate.storage.Ending;

/** Receives the changes that a call on a {@link KeyState} makes, in their order. */
public interface KeyStateListener {
    /** A claim or a waiter got a slot. Its lease runs. */
    void held(Holder holder);

    /** The lease of a holder now ends at another time. */
    void renewed(Holder holder);

    /** A slot was freed. */
    void ended(Holder holder, Ending ending);

    /** A waiter left the head of the queue for a slot; {@link #held} was called before. */
    void promoted(Waiter waiter, Holder holder);

    /** A slot is free and somebody waits, but no fence can be issued now. {@link KeyState#promote} is to be called later. */
    void stalled(KeyState key);
}
