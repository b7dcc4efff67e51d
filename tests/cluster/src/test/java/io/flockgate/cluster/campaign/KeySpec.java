package io.flockgate.cluster.campaign;

import java.util.List;

/** A key that clients claim: a lock, or a semaphore. */
record KeySpec(String name, boolean semaphore, int limit) {
    /** The keys that all clients claim. */
    static final List<KeySpec> SHARED =
            List.of(lock("lock-a"), lock("lock-b"), semaphore("pool-2", 2), semaphore("pool-3", 3));

    static KeySpec lock(String name) {
        return new KeySpec(name, false, 1);
    }

    static KeySpec semaphore(String name, int limit) {
        return new KeySpec(name, true, limit);
    }

    String command(String ofLocks) {
        return semaphore ? "s" + ofLocks : ofLocks;
    }

    /** The field that only semaphores have, with a space after it. */
    String limitField() {
        return semaphore ? limit + " " : "";
    }
}
