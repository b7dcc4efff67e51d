package io.flockgate.storage.consul.rules;

import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.QueuedTicket;
import io.flockgate.storage.consul.format.TicketMark;
import io.flockgate.storage.consul.kv.KvEntry;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Remembers since when other members' entries have been unchanged, by this machine's clock alone,
 * because the clocks of other machines may differ. A head that does not take a free slot within
 * {@link #deadAfterNanos} is dead: a living head takes the slot, or touches its ticket every
 * second. Not thread safe.
 */
public final class Observations {
    /** The nanoseconds within which most living heads take a free slot or touch their tickets. */
    public static final long DEAD_HEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(TicketMark.LEAST_ACT_MILLIS);

    private final Map<String, Unchanged> unchanged;

    private record Unchanged(long modifyIndex, long since) {}

    /**
     * Creates an empty memory.
     *
     * @param maxEntries beyond that number, the entries that were checked longest ago are forgotten
     */
    public Observations(int maxEntries) {
        this.unchanged = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Unchanged> eldest) {
                return size() > maxEntries;
            }
        };
    }

    /**
     * The nanoseconds within which this head, if alive, takes a free slot or touches its ticket.
     */
    public static long deadAfterNanos(QueuedTicket head) {
        return TimeUnit.MILLISECONDS.toNanos(head.mark().actMillis());
    }

    /** The time since which this entry has been seen unchanged; now if it is new. */
    public long unchangedSince(KvEntry entry, long now) {
        return unchangedSince(entry.key(), entry.modifyIndex(), now);
    }

    /**
     * The time since which neither the head nor {@code .lock} has changed. While {@code .lock} is
     * unchanged, a free slot stays free.
     */
    public long headUnchangedSince(KeyView view, QueuedTicket head, long now) {
        long changed = Math.max(head.entry().modifyIndex(), view.lockIndex());
        return unchangedSince(head.entry().key(), changed, now);
    }

    private long unchangedSince(String entry, long modifyIndex, long now) {
        Unchanged last = unchanged.get(entry);
        if (last == null || last.modifyIndex() != modifyIndex) {
            last = new Unchanged(modifyIndex, now);
            unchanged.put(entry, last);
        }
        return last.since();
    }

    /**
     * The head, if a fresh read shows it unchanged, along with a slot that has been free
     * throughout.
     *
     * @param view the view in which the head was dead
     */
    public static Optional<QueuedTicket> stillHead(KeyView fresh, KeyView view, QueuedTicket head) {
        return fresh.head()
                .filter(now -> now.entry().key().equals(head.entry().key()))
                .filter(now -> now.entry().modifyIndex() == head.entry().modifyIndex())
                .filter(now -> fresh.lockIndex() == view.lockIndex()
                        && fresh.hasRoom(now.mark().limit(), null));
    }

    /** Whether nothing is remembered. */
    public boolean isEmpty() {
        return unchanged.isEmpty();
    }

    /** Forgets an entry, so that its time restarts. */
    public void forget(String entry) {
        unchanged.remove(entry);
    }

    /** Forgets the entries with these names, so that their time restarts. */
    public void forgetIf(Predicate<String> names) {
        unchanged.keySet().removeIf(names);
    }
}
