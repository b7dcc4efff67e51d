package io.flockgate.gateway.deadlock;

import io.flockgate.storage.ClientView;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.WaiterView;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The keys that may be blocked, as one pass has read them, one after the other. Not thread safe.
 */
final class Snapshot {
    /**
     * The memory of a grant or a place in a search: its view here, and its part of a {@link
     * WaitGraph}. Measured: 250 and, for locks, 580.
     */
    private static final int BYTES_OF_CLIENT = 300;

    private static final int BYTES_OF_KEY = 600;

    private final Map<Key, KeyDetail> keys = new LinkedHashMap<>();
    private final @Nullable Snapshot earlier;
    private final long maxBytes;
    private long bytes;
    private boolean complete;

    private Snapshot(@Nullable Snapshot earlier, long maxBytes) {
        this.earlier = earlier;
        this.maxBytes = maxBytes;
        this.complete = earlier == null || earlier.complete;
    }

    /** An empty snapshot that keeps as much as a search can handle in this memory. */
    static Snapshot within(long maxBytes) {
        return new Snapshot(null, maxBytes);
    }

    /**
     * An empty snapshot for another pass, which keeps the grants and places that both passes show.
     * All of them existed at the moment between the passes, because the second pass begins after
     * the first one has ended.
     */
    Snapshot again() {
        return new Snapshot(this, Long.MAX_VALUE);
    }

    /**
     * Keeps a key that may be blocked, unless it does not fit into the memory. Smaller ones may
     * still fit.
     */
    void add(KeyDetail read) {
        complete &= read.waiters().size() == read.summary().waiters() && !read.moreHolders();
        KeyDetail key = earlier == null ? read : earlier.lasting(read);
        if (key == null || !WaitGraph.mayBeBlocked(key)) {
            return;
        }
        long needed = bytes(key);
        if (needed > maxBytes - bytes) {
            complete = false;
            return;
        }
        bytes += needed;
        keys.put(key.summary().key(), key);
    }

    private @Nullable KeyDetail lasting(KeyDetail later) {
        KeyDetail key = keys.get(later.summary().key());
        if (key == null) {
            return null;
        }
        Set<Long> fences = later.holders().stream().map(HolderView::fence).collect(Collectors.toSet());
        Set<String> places = later.waiters().stream().map(WaiterView::id).collect(Collectors.toSet());
        List<HolderView> holders = key.holders().stream()
                .filter(each -> fences.contains(each.fence()))
                .toList();
        List<WaiterView> waiters = key.waiters().stream()
                .filter(each -> places.contains(each.id()))
                .toList();
        boolean some = key.moreHolders() || holders.size() < key.holders().size();
        return new KeyDetail(key.summary(), holders, some, waiters);
    }

    private static long bytes(KeyDetail key) {
        long sum = BYTES_OF_KEY;
        for (HolderView each : key.holders()) {
            sum += bytes(each.client());
        }
        for (WaiterView each : key.waiters()) {
            sum += bytes(each.client()) + each.id().length();
        }
        return sum;
    }

    private static long bytes(ClientView client) {
        return BYTES_OF_CLIENT
                + bytes(client.description().name())
                + bytes(client.description().address())
                + bytes(client.description().tokenName())
                + bytes(client.gateway())
                + bytes(client.process());
    }

    /** Two bytes for each character, because not all texts are Latin-1. */
    private static long bytes(@Nullable String text) {
        return text == null ? 0 : 2L * text.length();
    }

    /** Notes whether all keys have been read. */
    void end(boolean all) {
        complete &= all;
    }

    Collection<KeyDetail> keys() {
        return keys.values();
    }

    /** Whether these are all keys that may be blocked, with all their holders and waiters. */
    boolean isComplete() {
        return complete;
    }
}
