package io.flockgate.storage.consul.key;

import java.util.concurrent.Semaphore;

/**
 * How many blocking reads of single keys there may be at a time: an agent takes 200 connections from one address. Keys
 * beyond that are looked after by the one read of all keys. Thread safe.
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
