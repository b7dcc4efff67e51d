package io.flockgate.storage.consul.key;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.KeyAdministration.KeyUsage;
import io.flockgate.storage.consul.format.KeyPath;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Counts the keys of all gateways against their maximum. Thread safe.
 *
 * <ol>
 *   <li>A new key is counted before it is created ({@link #reserve}), until a read shows it, or two
 *       reads that were sent later do not.
 *   <li>All other keys count as the last read of all keys shows them.
 *   <li>Keys of which only orphans remain do not count, nor do mapped keys.
 * </ol>
 */
final class KeyCount {
    private final long maxKeys;

    /** The prefixes of the keys that count in the last read. */
    @GuardedBy("this")
    private Set<String> shown = Set.of();

    /** The keys that this gateway creates, with the number of reads that were sent since. */
    @GuardedBy("this")
    private final Map<String, Integer> made = new HashMap<>();

    /** The keys without holders and tickets in the last read. */
    @GuardedBy("this")
    private long idle;

    KeyCount(long maxKeys) {
        this.maxKeys = maxKeys;
    }

    synchronized KeyUsage usage() {
        long keys = (long) shown.size() + made.size();
        return new KeyUsage(keys, Math.min(idle, keys), maxKeys);
    }

    /** A read is about to be sent. */
    synchronized void asking() {
        made.replaceAll((prefix, reads) -> reads + 1);
    }

    /**
     * Updates the count from a read.
     *
     * @param prefixes the prefixes of the keys that count in this read; null if they are those of
     *     the read before
     */
    synchronized void read(long idleKeys, @Nullable Set<String> prefixes) {
        idle = idleKeys;
        Set<String> now = prefixes == null ? shown : prefixes;
        shown = now;
        made.entrySet().removeIf(each -> each.getValue() > 1 || now.contains(each.getKey()));
    }

    /** Counts a new key before it is created. Returns false when there are too many keys. */
    synchronized boolean reserve(KeyPath path) {
        String prefix = path.prefix();
        if (path.mapped() || shown.contains(prefix)) {
            return true;
        }
        boolean fits = made.containsKey(prefix) || shown.size() + made.size() < maxKeys;
        if (fits) {
            made.put(prefix, 0);
        }
        return fits;
    }

    /** Records that this gateway has not created the key. */
    synchronized void notMade(KeyPath path) {
        made.remove(path.prefix());
    }
}
