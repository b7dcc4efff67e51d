package io.flockgate.storage.consul.key;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.KeyUsage;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.format.KeyPath;
import io.flockgate.storage.consul.format.KeyPaths;
import io.flockgate.storage.consul.kv.ConsulException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the keys of all gateways against their maximum. Thread safe.
 *
 * <ol>
 *   <li>A new key is counted before it is created ({@link #reserve}).
 *   <li>Each read of all keys replaces the count, adjusted for the keys that this gateway has
 *       recently created or deleted, because a read in progress may not show the change.
 *   <li>If few keys are left, the names in Consul are counted before each new key, because other
 *       gateways create keys too.
 *   <li>Keys of which only orphans remain do not count, nor do mapped keys.
 * </ol>
 */
final class KeyCount {
    private static final Logger LOG = LoggerFactory.getLogger(KeyCount.class);

    /** If fewer keys than this are left, the names in Consul are counted. */
    private static final int MARGIN = 64;

    private static final long LATELY_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final ConsulApi api;
    private final KeyPaths paths;
    private final long maxKeys;
    private final Environment environment;

    /** The prefixes of the keys that count. */
    @GuardedBy("this")
    private Set<String> known = new HashSet<>();

    @GuardedBy("this")
    private Set<String> onlyOrphans = Set.of();

    /** The keys that this gateway has recently created, with the time. */
    @GuardedBy("this")
    private final Map<String, Long> made = new HashMap<>();

    /** The keys that this gateway has recently deleted, with the time. */
    @GuardedBy("this")
    private final Map<String, Long> gone = new HashMap<>();

    /** Whether {@link #known} may differ from the last read. */
    @GuardedBy("this")
    private boolean differs = true;

    /** The keys without holders and tickets in the last read. */
    @GuardedBy("this")
    private long idle;

    /** The prefixes of the keys in a read. */
    record Prefixes(Set<String> existing, Set<String> onlyOrphans) {}

    KeyCount(ConsulApi api, KeyPaths paths, long maxKeys, Environment environment) {
        this.api = api;
        this.paths = paths;
        this.maxKeys = maxKeys;
        this.environment = environment;
    }

    synchronized KeyUsage usage() {
        return new KeyUsage(known.size(), Math.min(idle, known.size()), maxKeys);
    }

    /**
     * Updates the count from a read.
     *
     * @param otherKeys whether a key has appeared or disappeared since the previous read
     */
    synchronized void read(boolean otherKeys, long idleKeys, Supplier<Prefixes> prefixes) {
        idle = idleKeys;
        if (otherKeys || differs) {
            Prefixes found = prefixes.get();
            onlyOrphans = found.onlyOrphans();
            known = withOwnChanges(found.existing());
            differs = !made.isEmpty() || !gone.isEmpty();
        }
    }

    @GuardedBy("this")
    private Set<String> withOwnChanges(Set<String> prefixes) {
        long now = environment.now();
        made.values().removeIf(at -> now - at > LATELY_NANOS);
        gone.values().removeIf(at -> now - at > LATELY_NANOS);
        prefixes.removeAll(gone.keySet());
        prefixes.addAll(made.keySet());
        return prefixes;
    }

    /**
     * Counts a new key before it is created. Returns false when there are too many keys. May read
     * from Consul.
     */
    boolean reserve(KeyPath path) {
        if (path.mapped()) {
            return true;
        }
        synchronized (this) {
            if (known.contains(path.prefix()) || known.size() + MARGIN <= maxKeys) {
                add(path);
                return true;
            }
        }
        return reserveWhenNearlyFull(path);
    }

    /** Counts the names in Consul, for one new key at a time. */
    private synchronized boolean reserveWhenNearlyFull(KeyPath path) {
        try {
            Set<String> prefixes = namedInConsul();
            prefixes.removeAll(onlyOrphans);
            known = withOwnChanges(prefixes);
            differs = true;
        } catch (ConsulException e) {
            LOG.atDebug().addKeyValue("err", e.getMessage()).log("keys cannot be counted; the last count is used");
        }
        boolean fits = known.contains(path.prefix()) || known.size() < maxKeys;
        if (fits) {
            add(path);
        }
        return fits;
    }

    private Set<String> namedInConsul() {
        Set<String> prefixes = new HashSet<>();
        for (String name : api.names(paths.base(), "/")) {
            if (paths.keyOf(name) != null) {
                prefixes.add(name.substring(0, name.length() - 1));
            }
        }
        return prefixes;
    }

    @GuardedBy("this")
    private void add(KeyPath path) {
        gone.remove(path.prefix());
        made.put(path.prefix(), environment.now());
        differs = true;
        known.add(path.prefix());
    }

    /** Records that this gateway has not created the key. Another gateway may have created it. */
    synchronized void notMade(KeyPath path) {
        made.remove(path.prefix());
    }

    /** Records that the key was deleted. */
    synchronized void gone(KeyPath path) {
        made.remove(path.prefix());
        gone.put(path.prefix(), environment.now());
        differs = true;
        known.remove(path.prefix());
    }
}
