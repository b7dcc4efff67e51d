package io.flockgate.storage.consul.key;

import io.flockgate.storage.Key;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.Slot;
import io.flockgate.storage.consul.format.TicketMark;
import io.flockgate.storage.consul.format.TicketMark.QueuedTicket;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.KvEntry;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The failure detector of this gateway. For each key it measures for how long heads and leases have
 * not changed, with this gateway's clock only, because the clocks of other machines may differ.
 *
 * <ol>
 *   <li>A head that does not take a free slot within the time of its ticket, usually two seconds,
 *       is dead. A live head takes the slot, or touches its ticket every second.
 *   <li>A lease that is renewed by writes has ended when its entry has not changed for the length
 *       of the lease plus a thousandth of it and one second.
 *   <li>For a head, time in which Consul did not answer this gateway does not count, because the
 *       other gateways may have been cut off as well.
 * </ol>
 *
 * <p>Methods about one key are for that key's thread only. All others are thread safe.
 */
final class FailureDetector {
    /** The nanoseconds within which most living heads take a free slot or touch their tickets. */
    static final long DEAD_HEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(TicketMark.LEAST_ACT_MILLIS);

    private final Environment environment;
    private final Map<String, KeyHistory> histories = new ConcurrentHashMap<>();

    private volatile boolean hadOutage;
    private volatile long lastOutageAt;

    FailureDetector(Environment environment) {
        this.environment = environment;
    }

    /**
     * The observations of this gateway at one key.
     *
     * @param retired the key, if its actor has retired once
     * @param unchanged by the names of the entries
     */
    private record KeyHistory(@Nullable Key retired, Map<String, Unchanged> unchanged) {
        private long unchangedSince(String entry, long index, long now) {
            return unchanged.compute(
                            entry,
                            (same, last) -> last == null || last.index != index ? new Unchanged(index, now) : last)
                    .since;
        }
    }

    /** An entry that has had this index since this time, as far as this gateway knows. */
    private record Unchanged(long index, long since) {}

    private KeyHistory history(KeyView view) {
        return histories.computeIfAbsent(view.path().prefix(), absent -> new KeyHistory(null, new HashMap<>()));
    }

    /**
     * Records a failed call to Consul. In an outage, the time until now does not count against
     * other gateways.
     */
    void failed(ConsulException e) {
        if (e.isOutage()) {
            lastOutageAt = environment.now();
            hadOutage = true;
        }
    }

    /** The given time, or a later one at which Consul did not answer. */
    private long sinceLastOutage(long time) {
        return hadOutage && lastOutageAt - time > 0 ? lastOutageAt : time;
    }

    /** Whether Consul has answered this gateway without interruption since then. */
    boolean hadNoOutageSince(long time) {
        return sinceLastOutage(time) == time;
    }

    /**
     * The time since which neither the head nor {@code .lock} has changed while Consul answered, as
     * far as this gateway knows. While {@code .lock} is unchanged, a free slot stays free.
     */
    long headUnchangedSince(KeyView view, QueuedTicket head) {
        long changed = Math.max(head.entry().modifyIndex(), view.lockIndex());
        return sinceLastOutage(history(view).unchangedSince(head.entry().key(), changed, environment.now()));
    }

    /**
     * The head, if a fresh read shows it unchanged, along with a slot that has been free
     * throughout.
     *
     * @param view the view in which the head was dead
     */
    static Optional<QueuedTicket> stillHead(KeyView fresh, KeyView view, QueuedTicket head) {
        return fresh.head()
                .filter(now -> now.entry().key().equals(head.entry().key()))
                .filter(now -> now.entry().modifyIndex() == head.entry().modifyIndex())
                .filter(now -> fresh.lockIndex() == view.lockIndex()
                        && fresh.hasRoom(now.mark().limit(), null));
    }

    /** The time since which the holder's entry has not changed, as far as this gateway knows. */
    long holderUnchangedSince(KeyView view, Slot slot) {
        KvEntry entry = slot.entry();
        return history(view).unchangedSince(entry.key(), entry.modifyIndex(), environment.now());
    }

    /** Keeps the observations of the given entries only. */
    void keepOnly(KeyView view, Set<String> entries) {
        history(view).unchanged.keySet().retainAll(entries);
    }

    /** Keeps the observations of the entries in the view only. */
    void keepShown(KeyView view) {
        history(view).unchanged.keySet().removeIf(each -> view.entry(each) == null);
    }

    /**
     * Records that the actor of a key has retired. The times since which entries have been
     * unchanged stay, because a later claim may find that a lease has ended.
     */
    void retired(Key key, String prefix) {
        histories.computeIfPresent(
                prefix, (same, history) -> history.unchanged.isEmpty() ? null : new KeyHistory(key, history.unchanged));
    }

    /** Forgets keys that have no actor and no longer exist. */
    void forgetGone(Predicate<Key> gone) {
        histories.values().removeIf(history -> {
            Key retired = history.retired;
            return retired != null && gone.test(retired);
        });
    }
}
