package io.flockgate.storage.memory;

import java.util.concurrent.atomic.AtomicLong;

/** How many keys may exist, over all shards: exact, whatever races. */
final class Capacity {
    private final long most;
    private final AtomicLong used = new AtomicLong();

    Capacity(long most) {
        this.most = most;
    }

    boolean take() {
        long now = used.get();
        while (now < most) {
            if (used.compareAndSet(now, now + 1)) {
                return true;
            }
            now = used.get();
        }
        return false;
    }

    void giveBack() {
        used.decrementAndGet();
    }
}
