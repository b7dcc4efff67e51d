package io.flockgate.client.consul;

import io.flockgate.client.consul.Writer.Written;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Frees what dead gateways and clients have left at a key, by the rules of gateways.
 *
 * <ol>
 *   <li>A lease that is renewed by writes is over when its entry has not changed for the length of the lease and one second.
 *   <li>A slot whose session has ended is free when it has not changed for the time in its mark, and one second. Its holder has given up
 *       by then.
 *   <li>A head that does not take a free slot within two seconds is dead. A living head takes the slot, or touches its ticket every
 *       second. Time in which Consul did not answer does not count.
 * </ol>
 *
 * Times are measured from the first look of this client.
 */
final class Evictor {
    static final long DEAD_HEAD_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** Consul's own tools use sessions of this TTL. */
    private static final long UNKNOWN_TTL_MILLIS = 15_000;

    private static final Duration END_TIMEOUT = Duration.ofSeconds(2);

    private final Parts parts;

    Evictor(Parts parts) {
        this.parts = parts;
    }

    /** Frees the slots whose holders are gone. True if the key has to be read again. */
    boolean freeDeadHolders(Layout layout, View view, long deadline) {
        boolean freed = false;
        for (Slot slot : view.slots()) {
            if (untilFree(slot) <= 0) {
                freed = true;
                free(layout, view, slot, deadline);
            }
        }
        return freed;
    }

    /** The nanoseconds after which something at this key may have to be freed or evicted. */
    long nextDue(View view, long limit) {
        long due = Long.MAX_VALUE;
        for (Slot slot : view.slots()) {
            due = Math.min(due, untilFree(slot));
        }
        Ticket head = view.head().orElse(null);
        if (head != null && view.hasRoom(limit)) {
            due = Math.min(due, DEAD_HEAD_NANOS - headUnchangedNanos(view, head));
        } else if (head != null) {
            // Its time counts only while a slot is free.
            parts.observations().forget(head.entry().key());
        }
        return Math.max(0, due);
    }

    /** The nanoseconds until the slot is free, unless it changes; {@code Long.MAX_VALUE} if only its session ends it. */
    private long untilFree(Slot slot) {
        Mark mark = slot.mark();
        if (mark == null || (mark.silent() && !slot.hasEnded())) {
            return Long.MAX_VALUE;
        }
        long after = slot.hasEnded() ? mark.believedNanos(UNKNOWN_TTL_MILLIS) : mark.unrenewedNanos();
        return after - parts.observations().unchangedNanos(slot.entry());
    }

    private void free(Layout layout, View view, Slot slot, long deadline) {
        Mark mark = slot.mark();
        String nonce = mark == null ? "" : mark.nonce();
        Written freed = parts.writer().free(layout, view, slot, nonce, deadline);
        if (freed instanceof Written.Done && mark != null && mark.detached() && !slot.hasEnded()) {
            parts.endSession(slot.session(), END_TIMEOUT);
        }
    }

    /** The time for which neither the head nor {@code .lock} has changed. While {@code .lock} stays, a slot that is free stays free. */
    private long headUnchangedNanos(View view, Ticket head) {
        long changed = Math.max(head.entry().modifyIndex(), lockIndex(view));
        return parts.observations().unchangedNanos(head.entry().key(), changed);
    }

    private static long lockIndex(View view) {
        Entry lock = view.lock();
        return lock == null ? 0 : lock.modifyIndex();
    }

    /** Deletes the ticket of a head that is dead. True if the key has to be read again. */
    boolean evictDeadHead(Layout layout, View view, long limit, long deadline) {
        Ticket head = view.head().orElse(null);
        boolean dead = head != null && view.hasRoom(limit) && headUnchangedNanos(view, head) >= DEAD_HEAD_NANOS;
        if (head == null || !dead) {
            return false;
        }
        View fresh = parts.api().read(view.path(), deadline);
        Ticket now = fresh.head().orElse(null);
        if (now == null) {
            return true;
        }
        boolean unchanged = now.entry().key().equals(head.entry().key())
                && now.entry().modifyIndex() == head.entry().modifyIndex();
        if (unchanged && lockIndex(fresh) == lockIndex(view) && fresh.hasRoom(limit)) {
            Written unused = parts.writer()
                    .write(
                            layout,
                            view.path(),
                            new Changes(layout, fresh).evict(now),
                            after -> after.entry(now.entry().key()) == null ? OptionalLong.of(0) : OptionalLong.empty(),
                            deadline);
        }
        return true;
    }

    /** Begins to count anew: Consul did not answer this client, and perhaps not others either. */
    void outage(View view) {
        outage(view.path());
    }

    /** Begins to count anew as {@link #outage(View)} does. */
    void outage(KeyPath path) {
        parts.observations().forgetBelow(path.ticket(""));
    }
}
