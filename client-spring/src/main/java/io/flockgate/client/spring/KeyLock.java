package io.flockgate.client.spring;

import io.flockgate.client.Grant;
import io.flockgate.client.Lease;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The state of one key in this process while threads hold it or wait for it. */
final class KeyLock {
    /**
     * The outermost lock of a thread.
     *
     * @param lease claimed for this lock alone
     * @param grant the grant of the server
     * @param renewable the longest time that a renewal can be relied on to give
     */
    record Held(Lease lease, Grant grant, Duration renewable) {}

    /** Threads of this process queue here. Only the one in front claims the slot at the server. */
    final ReentrantLock local = new ReentrantLock(true);

    /** Written by the thread that has the local lock. */
    volatile @Nullable Held held;

    /** How many locks are held or waited for. Guarded by the map of the registry. */
    int users;
}
