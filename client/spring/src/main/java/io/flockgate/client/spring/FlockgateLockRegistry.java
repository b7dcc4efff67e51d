package io.flockgate.client.spring;

import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.spring.FlockgateLock.KeyLock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * A registry of locks for Spring Integration, kept by a Flockgate server. Safe from any thread.
 *
 * <ul>
 *   <li>A key is used unchanged: 1 to 200 printable ASCII characters without blanks, together with
 *       the prefix. Others are refused with {@link io.flockgate.client.LeaseConfigException},
 *       because a truncated or escaped name may collide with another. For keys such as paths set
 *       {@link LockSettings#naming(java.util.function.Function)}.
 *   <li>The client renews a lock while its process lives. No {@code TaskScheduler} is needed, and
 *       the time to live matters only when a process dies or is cut off.
 *   <li>Nothing is kept for a key that no thread holds or waits for, so there is no cache to bound
 *       or to clear.
 * </ul>
 *
 * <p>The provider is not closed by this registry.
 *
 * {@snippet :
 * LockRegistry<DistributedLock> locks = new FlockgateLockRegistry(leases);
 * locks.executeLocked("ledger", () -> write("ledger"));
 * }
 */
public final class FlockgateLockRegistry implements RenewableLockRegistry<DistributedLock> {
    private final LeaseProvider leases;
    private final LockSettings settings;
    private final Map<String, KeyLock> inUse = new ConcurrentHashMap<>();

    /** A registry with default settings. */
    public FlockgateLockRegistry(LeaseProvider leases) {
        this(leases, LockSettings.defaults());
    }

    /**
     * A registry with these settings. Registries of other processes need the same prefix and
     * naming.
     */
    public FlockgateLockRegistry(LeaseProvider leases, LockSettings settings) {
        this.leases = leases;
        this.settings = settings;
    }

    /**
     * The lock of a key. Two locks of one key are the same lock.
     *
     * @throws io.flockgate.client.LeaseConfigException if the key has no valid name
     */
    @Override
    public FlockgateLock obtain(Object lockKey) {
        return new FlockgateLock(
                this,
                LeaseOptions.of(settings.prefix() + settings.naming().apply(lockKey))
                        .name());
    }

    /**
     * Ensures that the lock lasts for most of its time to live without another renewal.
     *
     * @throws IllegalStateException if this thread does not hold the lock, or has lost it
     * @throws io.flockgate.client.LeaseUnavailableException if the server did not confirm the
     *     renewal in time
     */
    @Override
    public void renewLock(Object lockKey) {
        obtain(lockKey).renew(settings.ttl());
    }

    /**
     * Ensures that the lock lasts for this time without another renewal, or for most of its time to
     * live if that is shorter. The time to live itself does not change: renewals continue as
     * before.
     *
     * @throws IllegalStateException if this thread does not hold the lock, or has lost it
     * @throws IllegalArgumentException if the time is not positive
     * @throws io.flockgate.client.LeaseUnavailableException if the server did not confirm the
     *     renewal in time
     */
    @Override
    public void renewLock(Object lockKey, Duration ttl) {
        if (ttl.isNegative() || ttl.isZero()) {
            throw new IllegalArgumentException("the time must be positive, and is " + ttl.toMillis() / 1000.0 + " s");
        }
        obtain(lockKey).renew(ttl);
    }

    Duration ttl() {
        return settings.ttl();
    }

    LeaseProvider leases() {
        return leases;
    }

    /** Returns the state of a key for one more user, until {@link #leave}. */
    KeyLock enter(String name) {
        return inUse.compute(name, (same, known) -> {
            KeyLock key = known != null ? known : new KeyLock();
            key.users++;
            return key;
        });
    }

    /** Removes a user. With the last user, the state of the key is removed. */
    void leave(String name) {
        inUse.computeIfPresent(name, (same, key) -> --key.users == 0 ? null : key);
    }

    /** The state of a key, if a thread holds it or waits for it. */
    @Nullable
    KeyLock find(String name) {
        return inUse.get(name);
    }

    /** The number of keys that threads hold or wait for. */
    int keysInUse() {
        return inUse.size();
    }

    @Override
    public String toString() {
        return "locks of Flockgate, prefix '" + settings.prefix() + "'";
    }
}
