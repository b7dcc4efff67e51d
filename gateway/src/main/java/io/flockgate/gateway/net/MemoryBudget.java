package io.flockgate.gateway.net;

import io.flockgate.gateway.limits.AddressGroup;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A memory budget for large heads, bodies, or replies that clients have not read, shared by all
 * connections of an event loop. On that event loop only.
 *
 * <p>A {@link AddressGroup#siteOf site} that already uses memory may use at most three times what
 * remains free, which is three quarters of the budget if no other site uses any. This keeps one
 * site from locking out the others. The first draw of a site may take all that is free.
 */
public final class MemoryBudget {
    private static final int MAX_BYTES = 64 * 1024 * 1024;
    private static final int MIN_BYTES = 2 * 1024 * 1024;
    private static final int SHARE_OF_HEAP = 8;
    private static final int DECODED_BYTES_PER_BYTE = 3;
    private static final int EIGHTHS = 8;
    private static final long MAX_TIMES_FREE = 3;

    private final int max;
    private final Map<String, Integer> usedBySite = new HashMap<>();
    private int used;

    public MemoryBudget(int max) {
        this.max = max;
    }

    /** A budget for long heads, which take about three times their bytes once decoded. */
    public static MemoryBudget ofHeads(long heapBytes, int eventLoops) {
        return ofHeap(heapBytes / DECODED_BYTES_PER_BYTE, eventLoops);
    }

    /**
     * The budget of one event loop: its share of an eighth of the heap, at least 2 MiB and at most
     * 64 MiB.
     */
    public static MemoryBudget ofHeap(long heapBytes, int eventLoops) {
        return new MemoryBudget(
                Math.toIntExact(Math.clamp(heapBytes / SHARE_OF_HEAP / eventLoops, MIN_BYTES, MAX_BYTES)));
    }

    /** The budget as a client of this address may use it. */
    public Share of(String address) {
        return new Share(address);
    }

    /** The budget for one client. */
    public final class Share implements HttpInput.Budget {
        private final String address;

        /** Known once the client has needed memory, which most never do. */
        private @Nullable String site;

        private Share(String address) {
            this.address = address;
        }

        @Override
        public boolean draw(int bytes) {
            return draw(bytes, EIGHTHS);
        }

        /** Takes memory, unless more than this many eighths of the budget would be in use. */
        public boolean draw(int bytes, int eighths) {
            long free = (long) max * eighths / EIGHTHS - used - bytes;
            int before = usedBySite.getOrDefault(site(), 0);
            if (free < 0 || (before > 0 && before + bytes > MAX_TIMES_FREE * free)) {
                return false;
            }
            add(bytes);
            return true;
        }

        @Override
        public void giveBack(int bytes) {
            add(-bytes);
        }

        private void add(int bytes) {
            if (bytes == 0) {
                return;
            }
            used += bytes;
            usedBySite.merge(site(), bytes, (before, more) -> before + more == 0 ? null : before + more);
        }

        private String site() {
            if (site == null) {
                site = AddressGroup.siteOf(address);
            }
            return site;
        }
    }
}
