package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.layout.HolderMark;
import io.flockgate.storage.consul.layout.KeyView;
import io.flockgate.storage.consul.layout.QueuedTicket;
import io.flockgate.storage.consul.layout.Slot;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The failure detector of this gateway: judges at each key which other gateways are alive, and which are suspected to be dead.
 * It compares views by this gateway's clock only, because the clocks of other machines may differ.
 *
 * <ol>
 *   <li>A gateway lived at the time of a view if a later view shows a ticket of it that is newer. Nobody else writes its tickets.
 *   <li>A head that leaves a free slot for two seconds is dead. A living one takes the slot, or touches its ticket in half the time.
 *   <li>A lease that others count is over when its entry has not changed for the lease and one second.
 *   <li>A gateway that failed by rule 2 or 3 is suspected at that key: half a second is enough for its next head. The suspicion
 *       ends when something newer of the gateway is there, or when no ticket of it waits.
 *   <li>Time in which Consul did not answer this gateway counts for nobody's death: the others may have been cut off as well.
 * </ol>
 *
 * <p>What concerns one key is called by that key's thread only; otherwise thread safe.
 */
final class FailureDetector {
    static final long DEAD_HEAD_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long SUSPECTED_HEAD_NANOS = DEAD_HEAD_NANOS / 4;

    /** For clocks that do not run equally fast, and for a gateway that is slow but alive. */
    private static final long GRACE_MILLIS = 1_000;

    private final Environment environment;
    private final Map<String, KeyHistory> histories = new ConcurrentHashMap<>();

    private volatile boolean everLost;
    private volatile long lostAt;

    FailureDetector(Environment environment) {
        this.environment = environment;
    }

    /** What this gateway has observed at one key. */
    private static final class KeyHistory {
        /** The index of the newest ticket of each gateway in the last view. */
        private Map<String, Long> newestTickets = new HashMap<>();

        /** When each gateway surely lived. */
        private final Map<String, Long> alive = new HashMap<>();

        /** The suspected gateways, each with the index of the newest entry that it had then. */
        private final Map<String, Long> suspects = new HashMap<>();

        private final Map<String, Unchanged> unchanged = new HashMap<>();
        private @Nullable KeyView last;
        private long lastAt;
    }

    private record Unchanged(long modifyIndex, long since) {}

    private KeyHistory history(KeyView view) {
        return histories.computeIfAbsent(view.path().prefix(), absent -> new KeyHistory());
    }

    /** A call to Consul has failed. In an outage, contact is lost. */
    void failed(ConsulException e) {
        if (e.isOutage()) {
            lostAt = environment.now();
            everLost = true;
        }
    }

    /** The given time, or a later one at which Consul did not answer. */
    private long sinceLastOutage(long time) {
        return everLost && lostAt - time > 0 ? lostAt : time;
    }

    /** Whether Consul has answered this gateway ever since. */
    boolean hasAnsweredSince(long time) {
        return sinceLastOutage(time) == time;
    }

    /** Takes in a view of a key, for the signs of life in it. */
    void observe(KeyView view) {
        KeyHistory history = history(view);
        if (view == history.last) {
            return;
        }
        Map<String, Long> newest = new HashMap<>();
        for (QueuedTicket ticket : view.queue()) {
            newest.merge(ticket.mark().gateway(), ticket.entry().modifyIndex(), Math::max);
        }
        if (history.last != null) {
            newest.forEach((gateway, index) -> {
                if (index > history.newestTickets.getOrDefault(gateway, 0L)) {
                    history.alive.put(gateway, history.lastAt);
                }
            });
        }
        history.alive.keySet().retainAll(newest.keySet());
        history.newestTickets = newest;
        history.last = view;
        history.lastAt = environment.now();
    }

    /** Whether the gateway surely lived less than two seconds ago. */
    boolean isAlive(String gateway, KeyView view) {
        Long at = history(view).alive.get(gateway);
        return at != null && environment.now() - at < DEAD_HEAD_NANOS;
    }

    /** Since when the head has not changed while Consul answered, as far as this gateway knows. */
    long headUnchangedSince(KeyView view, QueuedTicket head) {
        return sinceLastOutage(
                unchangedSince(view, head.entry().key(), head.entry().modifyIndex()));
    }

    /** How long a head of this gateway may leave a free slot alone. */
    long headPatience(KeyView view, String gateway) {
        return history(view).suspects.containsKey(gateway) ? SUSPECTED_HEAD_NANOS : DEAD_HEAD_NANOS;
    }

    /** Since when the holder's entry has not changed, as far as this gateway knows. */
    long holderUnchangedSince(KeyView view, Slot slot) {
        return unchangedSince(view, slot.entry().key(), slot.entry().modifyIndex());
    }

    /** How long the holder's entry may stay unchanged. */
    static long holderPatience(HolderMark mark) {
        return TimeUnit.MILLISECONDS.toNanos(
                Math.min(mark.leaseMillis(), Long.MAX_VALUE - GRACE_MILLIS) + GRACE_MILLIS);
    }

    private long unchangedSince(KeyView view, String entry, long modifyIndex) {
        Map<String, Unchanged> unchanged = history(view).unchanged;
        Unchanged last = unchanged.get(entry);
        if (last == null || last.modifyIndex() != modifyIndex) {
            last = new Unchanged(modifyIndex, environment.now());
            unchanged.put(entry, last);
        }
        return last.since();
    }

    /** Forgets since when the key's other entries have been unchanged. */
    void keepOnly(KeyView view, Set<String> entries) {
        history(view).unchanged.keySet().retainAll(entries);
    }

    /** Ends the suspicions that the view refutes. */
    void reviewSuspects(KeyView view) {
        history(view)
                .suspects
                .entrySet()
                .removeIf(each -> newestEntry(each.getKey(), view) > each.getValue() || !waits(each.getKey(), view));
    }

    /** The gateway has not done at this key what a living one does. */
    void suspect(String gateway, KeyView view) {
        history(view).suspects.put(gateway, newestEntry(gateway, view));
    }

    private static boolean waits(String gateway, KeyView view) {
        return view.queue().stream().anyMatch(ticket -> ticket.mark().gateway().equals(gateway));
    }

    private static long newestEntry(String gateway, KeyView view) {
        long index = 0;
        for (QueuedTicket ticket : view.queue()) {
            if (ticket.mark().gateway().equals(gateway)) {
                index = Math.max(index, ticket.entry().modifyIndex());
            }
        }
        for (Slot slot : view.slots()) {
            HolderMark mark = slot.mark();
            if (mark != null && mark.gateway().equals(gateway)) {
                index = Math.max(index, slot.entry().modifyIndex());
            }
        }
        return index;
    }

    /** The key's indexes have begun anew: none of them is a reason for suspicion. */
    void indexesRestarted(String prefix) {
        KeyHistory history = histories.get(prefix);
        if (history != null) {
            history.suspects.clear();
        }
    }

    /** Nobody of this gateway uses the key any more. */
    void forget(String prefix) {
        histories.remove(prefix);
    }
}
