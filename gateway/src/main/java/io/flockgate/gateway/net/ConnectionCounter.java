package io.flockgate.gateway.net;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.gateway.limits.AddressGroup;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts clients against caps, in total and by {@link AddressGroup}; 0 means no cap. Thread safe
 * and exact under races: a refused client is never counted.
 *
 * <p>Without others, a group may reach its cap. Beside others a {@link AddressGroup#siteOf site}
 * gets less, so that a few do not take all places: no further one once it has more than the free
 * ones, multiplied by the ratio of the cap to the rest of the total. The ratio is 3 for caps of
 * 15,000 and 20,000, and at least 1.
 */
public final class ConnectionCounter {
    private final long max;
    private final long maxPerAddress;

    @GuardedBy("this")
    private final Map<String, Integer> perAddress = new HashMap<>();

    @GuardedBy("this")
    private final Map<String, Integer> perSite = new HashMap<>();

    @GuardedBy("this")
    private int total;

    public ConnectionCounter(long max, long maxPerAddress) {
        this.max = max;
        this.maxPerAddress = maxPerAddress;
    }

    /** The decision on one more client. */
    public enum Entry {
        ADMITTED,
        TOO_MANY,
        TOO_MANY_FROM_ADDRESS
    }

    /** Counts a client in, unless a cap refuses it. The total cap comes first. */
    public synchronized Entry enter(String address) {
        if (max > 0 && total >= max) {
            return Entry.TOO_MANY;
        }
        if (maxPerAddress > 0) {
            String group = AddressGroup.of(address);
            String site = AddressGroup.siteOf(address);
            int before = perAddress.getOrDefault(group, 0);
            int ofSite = perSite.getOrDefault(site, 0);
            if (before >= maxPerAddress || takesTooMuch(ofSite)) {
                return Entry.TOO_MANY_FROM_ADDRESS;
            }
            perAddress.put(group, before + 1);
            perSite.put(site, ofSite + 1);
        }
        total++;
        return Entry.ADMITTED;
    }

    @GuardedBy("this")
    private boolean takesTooMuch(long before) {
        long rest = max - maxPerAddress;
        long free = max - total;
        return max > 0 && rest > 0 && before > free && before * rest > free * maxPerAddress;
    }

    /** Counts out an admitted client. */
    public synchronized void leave(String address) {
        total--;
        if (maxPerAddress > 0) {
            leave(perAddress, AddressGroup.of(address));
            leave(perSite, AddressGroup.siteOf(address));
        }
    }

    private static void leave(Map<String, Integer> counts, String name) {
        counts.computeIfPresent(name, (ignored, count) -> count == 1 ? null : count - 1);
    }

    public synchronized int total() {
        return total;
    }

    /** The number of clients of an {@link AddressGroup}, where a cap counts them. */
    synchronized int of(String group) {
        return perAddress.getOrDefault(group, 0);
    }

    public long max() {
        return max;
    }

    long maxPerAddress() {
        return maxPerAddress;
    }
}
