package io.flockgate.storage.consul.key;

import java.util.concurrent.Semaphore;

/**
 * A limit on the blocking reads of single keys at a time, because an agent takes 200 connections from one address. Other keys get
 * their changes from the read of all keys. Thread safe.
 */
final class WatchBudget {
    private final Semaphore free;

    WatchBudget(int max) {
        this.free = new Semaphore(max);
    }

    boolean take() {
        return free.tryAcquire();
    }

    void giveBack() {
        free.release();
    }
}
