package io.flockgate.client;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Lock} over a lease: it excludes threads of this process as well as other processes.
 * Bound to the thread, and reentrant.
 *
 * <p>Unlike a lock in memory, this one can be lost, either because the server does not answer in
 * time or through an operator. The thread is not interrupted. After the loss, the methods of
 * {@link Lock}, {@link #grant()} and {@link #fence()} throw {@link LeaseLockLostException} in the
 * thread that held it, until it has called {@link #unlock()} as often as it locked. Therefore pass
 * the fence to the resource that the lock protects. If the work must stop at a loss, {@link
 * BlockingLease#runExclusive} is the better choice.
 *
 * <ol>
 *   <li>Threads of this process queue for a local lock, first come, first served. Only its holder
 *       claims the slot at the server.
 *   <li>Each outermost lock has its own grant, with its own fence. The outermost unlock releases
 *       it, and then frees the local lock.
 *   <li>A thread that gets no grant frees the local lock. A grant that arrives late is released.
 * </ol>
 *
 * {@snippet :
 * LeaseLock lock = new LeaseLock(leases, "ledger");
 * lock.lock();
 * try {
 *     write(lock.fence().orElseThrow());
 * } finally {
 *     lock.unlock();
 * }
 * }
 */
public final class LeaseLock implements Lock, AutoCloseable {
    private static final long FOR_EVER_NANOS = Long.MAX_VALUE / 4;

    private final Lease lease;
    private final ReentrantLock local = new ReentrantLock(true);

    /** The grant of the thread that has the local lock. */
    private volatile @Nullable LeaseGrant grant;

    /**
     * A lock with its own lease.
     *
     * @param options with limit 1
     * @throws LeaseConfigException if the limit is different, or the back end does not support the
     *     options
     */
    public LeaseLock(LeaseProvider leases, LeaseOptions options) {
        Checks.given("leases", leases);
        Checks.given("options", options);
        Checks.that(options.limit() == 1, "a lock has limit 1, not " + options.limit());
        this.lease = leases.lease(options);
    }

    /** A lock with its own lease, and default options. */
    public LeaseLock(LeaseProvider leases, String name) {
        this(leases, LeaseOptions.of(name));
    }

    /**
     * Waits for the lock indefinitely, even if interrupted.
     *
     * @throws LeaseUnavailableException if the result is unknown. This thread does not hold the
     *     lock
     * @throws LeaseRefusedException if a limit of the server is reached
     * @throws LeaseLockLostException if this thread held the lock and lost it
     */
    @Override
    public void lock() {
        local.lock();
        enter(() -> {
            Optional<LeaseGrant> claimed = Optional.empty();
            while (claimed.isEmpty()) {
                claimed = Stages.awaitUninterruptibly(lease.acquire(Stages.LONGEST));
            }
            return claimed;
        });
    }

    /** Like {@link #lock()}, unless the thread is interrupted. */
    @Override
    public void lockInterruptibly() throws InterruptedException {
        local.lockInterruptibly();
        long deadline = System.nanoTime() + FOR_EVER_NANOS;
        enter(() -> claimUntil(deadline));
    }

    /**
     * Acquires the lock if it is free here and at the server, which takes the time of one request.
     *
     * @throws LeaseUnavailableException if the result is unknown. This thread does not hold the
     *     lock
     * @throws LeaseLockLostException if this thread held the lock and lost it
     */
    @Override
    public boolean tryLock() {
        return local.tryLock() && enter(() -> Stages.awaitUninterruptibly(lease.acquire(Duration.ZERO)));
    }

    /**
     * Like {@link #tryLock()}, but waits for at most this time. The server's answer may take up to
     * the request timeout in addition.
     */
    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        Checks.given("unit", unit);
        long deadline = System.nanoTime() + Math.min(unit.toNanos(time), FOR_EVER_NANOS);
        return local.tryLock(time, unit) && enter(() -> claimUntil(deadline));
    }

    /** Claims in steps, because the wait of a single attempt is bounded. */
    private Optional<LeaseGrant> claimUntil(long deadlineNanos) throws InterruptedException {
        while (true) {
            Duration left = Moment.max(Duration.ZERO, Duration.ofNanos(deadlineNanos - System.nanoTime()));
            Optional<LeaseGrant> claimed = Stages.claim(lease, Moment.min(left, Stages.LONGEST));
            if (claimed.isPresent() || left.compareTo(Stages.LONGEST) <= 0) {
                return claimed;
            }
        }
    }

    @FunctionalInterface
    private interface Claim<E extends Exception> {
        Optional<LeaseGrant> get() throws E;
    }

    /**
     * Claims the slot once the thread has acquired the local lock; an inner lock only checks the
     * grant. Without a grant, undoes the local acquisition.
     */
    private <E extends Exception> boolean enter(Claim<E> claim) throws E {
        boolean entered = false;
        try {
            if (local.getHoldCount() > 1) {
                held();
                entered = true;
            } else {
                grant = claim.get().orElse(null);
                entered = grant != null;
            }
            return entered;
        } finally {
            if (!entered) {
                local.unlock();
            }
        }
    }

    /**
     * Releases one hold of this thread. The outermost unlock waits for the server's answer, even if
     * interrupted, at most for the request timeout.
     *
     * @throws IllegalMonitorStateException if this thread does not hold the lock
     * @throws LeaseLockLostException if this thread held the lock and lost it. The call counts
     *     nevertheless
     * @throws LeaseReleaseException if the server did not confirm it. The call counts nevertheless:
     *     the lock is free by the time its lease expires
     */
    @Override
    public void unlock() {
        checkThread();
        try {
            held();
        } finally {
            leave();
        }
    }

    private void leave() {
        try {
            if (local.getHoldCount() == 1) {
                grant = null;
                Stages.awaitUninterruptibly(lease.release());
            }
        } finally {
            local.unlock();
        }
    }

    private void checkThread() {
        if (!local.isHeldByCurrentThread()) {
            throw new IllegalMonitorStateException("this thread does not hold the lock of " + lease.name());
        }
    }

    private LeaseGrant held() {
        LeaseGrant now = grant;
        if (now == null || !now.isAlive()) {
            String reason = now == null ? "" : LeaseLostException.reason(now);
            throw new LeaseLockLostException("the lock of " + lease.name() + " was lost" + reason);
        }
        return now;
    }

    /**
     * The grant that this thread holds. It stays the same for inner locks.
     *
     * @throws IllegalMonitorStateException if this thread does not hold the lock
     * @throws LeaseLockLostException if this thread held the lock and lost it
     */
    public LeaseGrant grant() {
        checkThread();
        return held();
    }

    /**
     * The fence of {@link #grant()}: a number that rises with each outermost lock, across all
     * processes.
     */
    public OptionalLong fence() {
        return grant().fence();
    }

    /** Returns whether a thread of this process holds the lock and has not lost it. */
    public boolean isLocked() {
        LeaseGrant now = grant;
        return now != null && now.isAlive();
    }

    /** {@link #isLocked()} for this thread. */
    public boolean isHeldByCurrentThread() {
        return local.isHeldByCurrentThread() && isLocked();
    }

    /**
     * The number of times that this thread must unlock; zero if it has not locked. A loss does not
     * change it.
     */
    public int holdCount() {
        return local.getHoldCount();
    }

    /** How long the lock is certainly held without another renewal; zero if it is not held. */
    public Duration remaining() {
        LeaseGrant now = grant;
        return now == null ? Duration.ZERO : now.remaining();
    }

    /** Not supported: there are no conditions across processes. */
    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("a lock among processes has no conditions");
    }

    /**
     * Closes the lease. Threads that wait for the lock get a {@link LeaseClosedException}. Another
     * thread that holds the lock keeps it until it unlocks, see {@link Lease#shutdown()}; a lock of
     * this thread is released at once.
     */
    @Override
    public void close() {
        if (local.tryLock()) {
            try {
                lease.close();
            } finally {
                local.unlock();
            }
        } else {
            CompletionStage<Void> unused = lease.shutdown();
        }
    }

    @Override
    public String toString() {
        return "lock of " + lease.name() + (isLocked() ? ", held" : ", not held");
    }
}
