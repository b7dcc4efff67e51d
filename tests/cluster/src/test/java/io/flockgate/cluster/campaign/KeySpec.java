package io.flockgate.cluster.campaign;

/** A key that clients claim: a lock, or a semaphore. */
record KeySpec(String name, boolean semaphore, int limit) {
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
