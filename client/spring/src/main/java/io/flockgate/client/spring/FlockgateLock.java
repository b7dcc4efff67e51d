package io.flockgate.client.spring;

import io.flockgate.client.LeaseAuthException;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseLock;
import io.flockgate.client.LeaseLockLostException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseRefusedException;
import io.flockgate.client.LeaseUnavailableException;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * A lock of a {@link FlockgateLockRegistry}, which stands on {@link LeaseLock}: it excludes threads
 * of this process as well as other processes. Bound to the thread, and reentrant.
 *
 * <p>Unlike a lock in memory, this one can be lost, either because the server does not answer in
 * time or through an operator. The thread is not interrupted. From the loss on, its methods throw
 * {@link ConcurrentModificationException} in the thread that held it, until it has called {@link
 * #unlock()} as often as it locked. Therefore pass the fence to the resource that the lock
 * protects.
 *
 * <p>If the lock cannot be acquired because the server does not answer, or refuses this client, a
 * {@link CannotAcquireLockException} is thrown. A grant that arrives after that is released.
 */
public final class FlockgateLock implements DistributedLock {
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

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
    private interface Acquisition<E extends Exception> {
        boolean of(LeaseLock lock) throws E;
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
        boolean unused = enter(ttl, lock -> {
            lock.lock();
            return true;
        });
    }

    /** Like {@link #lock()}, until the thread is interrupted. */
    @Override
    public void lockInterruptibly() throws InterruptedException {
        boolean unused = enter(registry.ttl(), lock -> {
            lock.lockInterruptibly();
            return true;
        });
    }

    /**
     * Acquires the lock if it is free here and at the server, which takes the time of one request.
     */
    @Override
    public boolean tryLock() {
        return enter(registry.ttl(), lock -> lock.tryLock());
    }

    /**
     * Like {@link #tryLock()}, but waits for at most this time. The server's answer may take up to
     * the request timeout in addition.
     */
    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return enter(registry.ttl(), lock -> lock.tryLock(time, unit));
    }

    /** The same with a specific time to live; see {@link #lock(Duration)}. */
    @Override
    public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
        long nanos = waitTime.compareTo(LONGEST) < 0 ? waitTime.toNanos() : Long.MAX_VALUE;
        return enter(ttl, lock -> lock.tryLock(nanos, TimeUnit.NANOSECONDS));
    }

    /** Locks once more, or leaves nothing behind. */
    private <E extends Exception> boolean enter(Duration ttl, Acquisition<E> acquisition) throws E {
        KeyLock key = registry.enter(name);
        boolean entered = false;
        try {
            entered = acquisition.of(key.of(registry.leases(), name, ttl));
            return entered;
        } catch (LeaseUnavailableException | LeaseRefusedException | LeaseAuthException failed) {
            throw new CannotAcquireLockException("the lock " + name + " cannot be had: " + failed.getMessage(), failed);
        } catch (LeaseLockLostException lost) {
            throw lost(lost);
        } finally {
            if (!entered) {
                registry.leave(name);
            }
        }
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
        KeyLock.Timed mine = mine();
        if (mine == null) {
            throw new IllegalMonitorStateException("this thread does not hold the lock " + name);
        }
        try {
            mine.lock().unlock();
        } catch (LeaseLockLostException lost) {
            throw lost(lost);
        } finally {
            registry.leave(name);
        }
    }

    private ConcurrentModificationException lost(LeaseLockLostException lost) {
        return new ConcurrentModificationException("the lock " + name + " was lost; another process may hold it", lost);
    }

    private KeyLock.@Nullable Timed mine() {
        KeyLock key = registry.find(name);
        return key == null ? null : key.mine();
    }

    /**
     * Ensures that the lock lasts for this time without another renewal, or for as long as a
     * renewal reliably provides: it counts from its sending, so the time until its answer is
     * deducted.
     */
    void renew(Duration atLeast) {
        KeyLock.Timed mine = mine();
        LeaseGrant grant = mine == null ? null : grant(mine);
        if (mine == null || grant == null) {
            throw new IllegalStateException("this thread does not hold the lock " + name);
        }
        LeaseOptions options = mine.options();
        Duration renewable = options.ttl().minus(options.safetyMargin()).minus(options.requestTimeout());
        Duration time = atLeast.compareTo(renewable) < 0 ? atLeast : renewable;
        boolean renewed = grant.ensure(time).toCompletableFuture().join();
        if (!renewed && grant.isAlive()) {
            throw new LeaseUnavailableException("the renewal of " + name + " is not confirmed", true, null);
        } else if (!renewed) {
            throw new IllegalStateException("this thread has lost the lock " + name);
        }
    }

    private static @Nullable LeaseGrant grant(KeyLock.Timed mine) {
        try {
            return mine.lock().grant();
        } catch (LeaseLockLostException lost) {
            return null;
        }
    }

    /** The grant that this thread holds; empty if it does not hold the lock, or has lost it. */
    public Optional<LeaseGrant> grant() {
        return Optional.ofNullable(mine()).map(FlockgateLock::grant);
    }

    /**
     * A number that rises with each outermost lock, across all processes; empty if {@link #grant()}
     * is empty, and with dflockd.
     */
    public OptionalLong fence() {
        return grant().map(LeaseGrant::fence).orElse(OptionalLong.empty());
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

    /**
     * The locks of one key in this process while threads hold or wait for it: one for each time to
     * live. Locks with different times exclude each other at the server. Once no thread uses the
     * key, its locks hold and claim nothing, so nothing needs to be closed. Safe from any thread.
     */
    static final class KeyLock {
        /** The lock with one time to live. */
        record Timed(LeaseOptions options, LeaseLock lock) {
            static Timed of(LeaseProvider leases, String name, Duration ttl) {
                LeaseOptions options = LeaseOptions.named(name).ttl(ttl).build();
                return new Timed(options, new LeaseLock(leases, options));
            }
        }

        private final Map<Duration, Timed> byTtl = new ConcurrentHashMap<>();

        /** The number of locks that are held or waited for. Guarded by the map of the registry. */
        int users;

        /**
         * The lock for a thread that locks with this time. An inner lock keeps the outermost time.
         */
        LeaseLock of(LeaseProvider leases, String name, Duration ttl) {
            Timed mine = mine();
            return (mine != null ? mine : byTtl.computeIfAbsent(ttl, time -> Timed.of(leases, name, time))).lock();
        }

        /** The lock that this thread has locked, even if it has lost it; null without one. */
        @Nullable
        Timed mine() {
            return byTtl.values().stream()
                    .filter(each -> each.lock().holdCount() > 0)
                    .findFirst()
                    .orElse(null);
        }
    }
}
