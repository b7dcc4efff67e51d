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
     * @param lease claimed only for this lock
     * @param grant the server's grant
     * @param renewable the longest time that a renewal reliably provides
     */
    record Held(Lease lease, Grant grant, Duration renewable) {}

    /** Threads of this process queue here. Only the first of them claims the slot at the server. */
    final ReentrantLock local = new ReentrantLock(true);

    /** Written by the thread that has the local lock. */
    volatile @Nullable Held held;

    /** The number of locks that are held or waited for. Guarded by the map of the registry. */
    int users;
}
