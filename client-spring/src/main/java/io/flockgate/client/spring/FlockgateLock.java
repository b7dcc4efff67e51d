package io.flockgate.client.spring;

import io.flockgate.client.Grant;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseAuthException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseRefusedException;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.spring.KeyLock.Held;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * A lock of a {@link FlockgateLockRegistry}: it excludes threads of this process as well as other
 * processes. Bound to the thread, and reentrant.
 *
 * <p>Unlike a lock in memory, this one can be lost, either because the server does not answer in
 * time or through an operator. The thread is not interrupted. From the loss on, its methods throw
 * {@link ConcurrentModificationException} in the thread that held it, until it has called {@link
 * #unlock()} as often as it locked. Therefore pass the fence to the resource that the lock
 * protects.
 *
 * <p>If the lock cannot be acquired because the server does not answer, or refuses this client, a
 * {@link CannotAcquireLockException} is thrown. A grant that arrives after that is released.
 *
 * <ol>
 *   <li>Threads of this process queue, first come, first served. Only the first of them claims the
 *       slot at the server.
 *   <li>Each outermost lock has its own lease, with its own time to live and fence. The outermost
 *       unlock releases it, and then admits the next thread.
 *   <li>A thread that gets no grant admits the next thread as well.
 * </ol>
 */
public final class FlockgateLock implements DistributedLock {
    /** The longest wait of one attempt; a longer wait takes several attempts. */
    private static final Duration LONGEST = Duration.ofDays(1);

    private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE / 4);

    private final FlockgateLockRegistry registry;
    private final String name;

    FlockgateLock(FlockgateLockRegistry registry, String name) {
        this.registry = registry;
        this.name = name;
    }

    /** The name of the lock at the server: the prefix and the key. */
    public String name() {
        return name;
    }

    @FunctionalInterface
    private interface Wait<E extends Exception> {
        /** True if this thread has acquired the local lock once more. */
        boolean forLocalLock(KeyLock key) throws E;
    }

    @FunctionalInterface
    private interface Claim<E extends Exception> {
        Optional<Grant> of(Lease lease) throws E;
    }

    /** Waits for the lock indefinitely, even if interrupted. */
    @Override
    public void lock() {
        lock(registry.ttl());
    }

    /**
     * The same with a specific time to live, which matters only for an outermost lock.
     *
     * @param ttl the time after which another process may have the lock if this one dies; see
     *     {@link LockSettings#ttl()}
     */
    @Override
    public void lock(Duration ttl) {
        Wait<RuntimeException> wait = key -> {
            key.local.lock();
            return true;
        };
        enter(ttl, wait, lease -> {
            Optional<Grant> claimed = Optional.empty();
            while (claimed.isEmpty()) {
                claimed = Waits.awaitUninterruptibly(lease.acquire(LONGEST));
            }
            return claimed;
        });
    }

    /** Like {@link #lock()}, until the thread is interrupted. */
    @Override
    public void lockInterruptibly() throws InterruptedException {
        Wait<InterruptedException> wait = key -> {
            key.local.lockInterruptibly();
            return true;
        };
        long deadline = System.nanoTime() + FOR_EVER.toNanos();
        enter(registry.ttl(), wait, lease -> claimUntil(lease, deadline));
    }

    /**
     * Acquires the lock if it is free here and at the server, which takes the time of one request.
     */
    @Override
    public boolean tryLock() {
        Wait<RuntimeException> wait = key -> key.local.tryLock();
        return enter(registry.ttl(), wait, lease -> Waits.awaitUninterruptibly(lease.acquire(Duration.ZERO)));
    }

    /**
     * Like {@link #tryLock()}, but waits for at most this time. The server's answer may take up to
     * the request timeout in addition.
     */
    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return tryLock(time, unit, registry.ttl());
    }

    /** The same with a specific time to live; see {@link #lock(Duration)}. */
    @Override
    public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
        long nanos = waitTime.compareTo(FOR_EVER) < 0 ? waitTime.toNanos() : FOR_EVER.toNanos();
        return tryLock(nanos, TimeUnit.NANOSECONDS, ttl);
    }

    private boolean tryLock(long time, TimeUnit unit, Duration ttl) throws InterruptedException {
        long deadline = System.nanoTime() + Math.min(unit.toNanos(time), FOR_EVER.toNanos());
        Wait<InterruptedException> wait = key -> key.local.tryLock(time, unit);
        return enter(ttl, wait, lease -> claimUntil(lease, deadline));
    }

    /** Claims in steps, because the wait of a single attempt is bounded. */
    private static Optional<Grant> claimUntil(Lease lease, long deadlineNanos) throws InterruptedException {
        while (true) {
            Duration left = Duration.ofNanos(Math.max(0, deadlineNanos - System.nanoTime()));
            boolean last = left.compareTo(LONGEST) <= 0;
            Optional<Grant> claimed = Waits.await(lease.acquire(last ? left : LONGEST));
            if (claimed.isPresent() || last) {
                return claimed;
            }
        }
    }

    /** Locks once more, or leaves nothing behind. */
    private <E extends Exception> boolean enter(Duration ttl, Wait<E> wait, Claim<E> claim) throws E {
        LeaseOptions options = registry.options(name, ttl);
        KeyLock key = registry.enter(name);
        boolean local = false;
        boolean entered = false;
        try {
            local = wait.forLocalLock(key);
            entered = local && (key.local.getHoldCount() > 1 ? isAlive(key) : isClaimed(key, options, claim));
            return entered;
        } finally {
            if (!entered) {
                leave(key, local);
            }
        }
    }

    private void leave(KeyLock key, boolean local) {
        if (local) {
            key.local.unlock();
        }
        registry.leave(name);
    }

    private <E extends Exception> boolean isClaimed(KeyLock key, LeaseOptions options, Claim<E> claim) throws E {
        Lease lease = registry.lease(options);
        Optional<Grant> grant = Optional.empty();
        try {
            grant = claim.of(lease);
        } catch (LeaseUnavailableException | LeaseRefusedException | LeaseAuthException failed) {
            throw new CannotAcquireLockException("the lock " + name + " cannot be had: " + failed.getMessage(), failed);
        } finally {
            if (grant.isEmpty()) {
                lease.closeAsync();
            }
        }
        key.held =
                grant.map(given -> new Held(lease, given, renewable(options))).orElse(null);
        return grant.isPresent();
    }

    /**
     * The time that a renewal reliably provides. A renewal counts from its sending, so the time
     * until its answer is deducted.
     */
    private static Duration renewable(LeaseOptions options) {
        return options.ttl().minus(options.safetyMargin()).minus(options.requestTimeout());
    }

    /**
     * Undoes one lock of this thread. The outermost unlock waits for the server's answer, even if
     * interrupted, at most for the request timeout.
     *
     * @throws IllegalMonitorStateException if this thread does not hold the lock
     * @throws ConcurrentModificationException if this thread held the lock and lost it. The call
     *     counts nevertheless
     * @throws io.flockgate.client.LeaseReleaseException if the server did not confirm it. The call
     *     counts nevertheless: the lock is free by the time its lease expires
     */
    @Override
    public void unlock() {
        KeyLock key = mine();
        if (key == null) {
            throw new IllegalMonitorStateException("this thread does not hold the lock " + name);
        }
        try {
            isAlive(key);
        } finally {
            unlock(key);
        }
    }

    private void unlock(KeyLock key) {
        Held held = key.held;
        try {
            if (key.local.getHoldCount() == 1 && held != null) {
                key.held = null;
                Waits.awaitUninterruptibly(held.lease().closeAsync());
            }
        } finally {
            leave(key, true);
        }
    }

    /** The state of the key, if this thread has locked it. */
    private @Nullable KeyLock mine() {
        KeyLock key = registry.find(name);
        return key != null && key.local.isHeldByCurrentThread() ? key : null;
    }

    /** True; throws if this thread has lost the lock. */
    private boolean isAlive(KeyLock key) {
        Held held = key.held;
        if (held == null || !held.grant().isAlive()) {
            throw new ConcurrentModificationException("the lock " + name + " was lost; another process may hold it");
        }
        return true;
    }

    /**
     * Ensures that the lock lasts for this time without another renewal, or for as long as a
     * renewal can provide.
     */
    void renew(Duration atLeast) {
        KeyLock key = mine();
        Held held = key != null ? key.held : null;
        if (held == null || !held.grant().isAlive()) {
            throw new IllegalStateException("this thread does not hold the lock " + name);
        }
        Duration time = atLeast.compareTo(held.renewable()) < 0 ? atLeast : held.renewable();
        boolean renewed = Waits.awaitUninterruptibly(held.grant().ensure(time));
        if (!renewed && held.grant().isAlive()) {
            throw new LeaseUnavailableException("the renewal of " + name + " is not confirmed", true, null);
        } else if (!renewed) {
            throw new IllegalStateException("this thread has lost the lock " + name);
        }
    }

    /** The grant that this thread holds; empty if it does not hold the lock, or has lost it. */
    public Optional<Grant> grant() {
        KeyLock key = mine();
        Held held = key != null ? key.held : null;
        return held != null && held.grant().isAlive() ? Optional.of(held.grant()) : Optional.empty();
    }

    /**
     * A number that rises with each outermost lock, across all processes; empty if {@link #grant()}
     * is empty, and with dflockd.
     */
    public OptionalLong fence() {
        return grant().map(Grant::fence).orElse(OptionalLong.empty());
    }

    /** Not supported: there are no conditions across processes. */
    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("a lock among processes has no conditions");
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FlockgateLock same && registry.equals(same.registry) && name.equals(same.name);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    @Override
    public String toString() {
        return "lock " + name;
    }
}
