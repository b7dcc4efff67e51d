package io.flockgate.storage.consul.key;

import io.flockgate.storage.Capacity;
import io.flockgate.storage.Kind;

/**
 * Counts the held slots of semaphores that were granted through this gateway, with a cap for new
 * claims. Thread safe.
 */
final class HolderCount {
    private final Capacity capacity;

    /**
     * @param max 0 for no cap
     */
    HolderCount(long max) {
        this.capacity = new Capacity(max);
    }

    /** Counts one more; returns false when the cap is reached. Locks are not counted. */
    boolean take(Kind kind) {
        return kind == Kind.LOCK || capacity.take();
    }

    /** Counts one more, even beyond the cap, for a waiter that has obtained its slot. */
    void forceTake(Kind kind) {
        capacity.forceTake(kind == Kind.LOCK ? 0 : 1);
    }

    void giveBack(Kind kind) {
        capacity.giveBack(kind == Kind.LOCK ? 0 : 1);
    }
}
