package io.flockgate.storage.consul.key;

import io.flockgate.storage.Kind;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the held slots of semaphores that were granted through this gateway, with a cap for new claims. Thread safe. */
final class HolderCount {
    private final long max;
    private final AtomicLong count = new AtomicLong();

    /** @param max 0 for no cap */
    HolderCount(long max) {
        this.max = max == 0 ? Long.MAX_VALUE : max;
    }

    /** Counts one more; false when the cap is reached. Locks are not counted. */
    boolean take(Kind kind) {
        if (kind == Kind.LOCK) {
            return true;
        }
        long now = count.get();
        while (now < max) {
            if (count.compareAndSet(now, now + 1)) {
                return true;
            }
            now = count.get();
        }
        return false;
    }

    /** Counts one more, even beyond the cap: a waiter has got its slot. */
    void takeInAnyCase(Kind kind) {
        count.addAndGet(kind == Kind.LOCK ? 0 : 1);
    }

    void giveBack(Kind kind) {
        count.addAndGet(kind == Kind.LOCK ? 0 : -1);
    }
}
