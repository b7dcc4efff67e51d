package io.flockgate.storage.consul.key;

import java.util.concurrent.Semaphore;

/**
 * A limit on the blocking reads of single keys at a time: an agent takes 200 connections from one address. The read of all keys
 * serves the keys beyond it. Thread safe.
 */
final class WatchBudget {
    private final Semaphore free;

    WatchBudget(int most) {
        this.free = new Semaphore(most);
    }

    boolean take() {
        return free.tryAcquire();
    }

    void giveBack() {
        free.release();
    }
}
