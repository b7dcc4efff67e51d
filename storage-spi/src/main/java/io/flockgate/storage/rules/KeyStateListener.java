package io.flockgate.storage.rules;

import io.flockgate.storage.Ending;

/** What a call on a {@link KeyState} changed, told in the order in which it happened. */
public interface KeyStateListener {
    /** A slot was given, to a claim at once or to a waiter. Its lease runs. */
    void held(Holder holder);

    /** The lease of a holder now ends at another time. */
    void renewed(Holder holder);

    /** A slot was freed. */
    void ended(Holder holder, Ending ending);

    /** A waiter was taken from the head of the queue and holds a slot, told as {@link #held} before. */
    void promoted(Waiter waiter, Holder holder);

    /** A slot is free and somebody waits, but no fence can be issued: to be tried again. */
    void starved(KeyState key);
}
