package io.flockgate.storage.consul.key;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.KeyUsage;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.format.KeyPath;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Counts the keys of all gateways against their maximum. Thread safe.
 *
 * <ol>
 *   <li>A new key is counted before it is created ({@link #reserve}).
 *   <li>Each read of all keys replaces the count, adjusted for the keys that this gateway has
 *       recently created or deleted, because a read in progress may not show the change.
 *   <li>Keys of which only orphans remain do not count, nor do mapped keys.
 * </ol>
 */
final class KeyCount {
    private static final long LATELY_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final long maxKeys;
    private final Environment environment;

    /** The prefixes of the keys that count. */
    @GuardedBy("this")
    private Set<String> known = new HashSet<>();

    /** The keys that this gateway has recently created, with the time. */
    @GuardedBy("this")
    private final Map<String, Long> made = new HashMap<>();

    /** The keys that count only because this gateway has recently created them. */
    @GuardedBy("this")
    private final Set<String> added = new HashSet<>();

    /** The keys that this gateway has recently deleted, or is deleting, with the time. */
    @GuardedBy("this")
    private final Map<String, Long> gone = new HashMap<>();

    /** Whether {@link #known} may differ from the last read. */
    @GuardedBy("this")
    private boolean differs = true;

    /** The keys without holders and tickets in the last read. */
    @GuardedBy("this")
    private long idle;

    KeyCount(long maxKeys, Environment environment) {
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
     * @param prefixes returns the prefixes of the keys that count in this read
     */
    synchronized void read(boolean otherKeys, long idleKeys, Supplier<Set<String>> prefixes) {
        idle = idleKeys;
        if (otherKeys || differs) {
            long now = environment.now();
            made.values().removeIf(at -> now - at > LATELY_NANOS);
            gone.values().removeIf(at -> now - at > LATELY_NANOS);
            known = prefixes.get();
            known.removeAll(gone.keySet());
            added.clear();
            made.keySet().forEach(this::add);
            differs = !made.isEmpty() || !gone.isEmpty();
        }
    }

    /** Counts a new key before it is created. Returns false when there are too many keys. */
    synchronized boolean reserve(KeyPath path) {
        boolean fits = path.mapped() || known.contains(path.prefix()) || known.size() < maxKeys;
        if (fits && !path.mapped()) {
            gone.remove(path.prefix());
            made.put(path.prefix(), environment.now());
            add(path.prefix());
            differs = true;
        }
        return fits;
    }

    private synchronized void add(String prefix) {
        if (known.add(prefix)) {
            added.add(prefix);
        }
    }

    /**
     * Records that this gateway has not created the key. If another gateway has created it, the
     * last or the next read shows it.
     */
    synchronized void notMade(KeyPath path) {
        made.remove(path.prefix());
        if (added.remove(path.prefix())) {
            known.remove(path.prefix());
        }
        differs = true;
    }

    /** Records that the key is about to be deleted, after which it may be created again. */
    synchronized void gone(KeyPath path) {
        notMade(path);
        known.remove(path.prefix());
        gone.put(path.prefix(), environment.now());
    }

    /** Records that the key was not deleted after all. */
    synchronized void notGone(KeyPath path) {
        if (gone.remove(path.prefix()) != null) {
            known.add(path.prefix());
        }
    }
}
