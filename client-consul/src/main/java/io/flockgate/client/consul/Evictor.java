package io.flockgate.client.consul;

import io.flockgate.client.consul.Writer.Written;
import io.flockgate.consul.format.HolderMark;
import io.flockgate.consul.format.KeyPath;
import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.QueuedTicket;
import io.flockgate.consul.format.Slot;
import io.flockgate.consul.rules.Observations;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * Frees what dead gateways and clients have left at a key, by the gateways' rules.
 *
 * <ol>
 *   <li>A lease that is renewed by writes has expired when its entry has not changed for the length
 *       of the lease plus one second.
 *   <li>A slot whose session has ended is free when it has not changed for the time in its mark
 *       plus one second. Its holder has given up by then.
 *   <li>A head that does not take a free slot within the time of its ticket, usually two seconds,
 *       is considered dead. Time in which Consul did not answer does not count.
 * </ol>
 *
 * Times are measured from this client's first read.
 */
final class Evictor {
    /** Consul's own tools use sessions of this TTL. */
    private static final long UNKNOWN_TTL_MILLIS = 15_000;

    private static final Duration END_TIMEOUT = Duration.ofSeconds(2);

    private final Parts parts;

    Evictor(Parts parts) {
        this.parts = parts;
    }

    /** Frees the slots of dead holders. Returns true if the key must be read again. */
    boolean freeDeadHolders(Layout layout, KeyView view, long deadline) {
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
    long nextDue(KeyView view, long limit) {
        long due = Long.MAX_VALUE;
        for (Slot slot : view.slots()) {
            due = Math.min(due, untilFree(slot));
        }
        QueuedTicket head = view.head().orElse(null);
        if (head != null && view.hasRoom(limit)) {
            due = Math.min(due, headLeft(view, head));
        } else if (head != null) {
            // Its time counts only while a slot is free.
            parts.observations().forget(head.entry().key());
        }
        return Math.max(0, due);
    }

    /** The nanoseconds that the head has left to take a free slot. */
    private long headLeft(KeyView view, QueuedTicket head) {
        return Observations.deadAfterNanos(head) - parts.observations().headUnchangedNanos(view, head);
    }

    /**
     * The nanoseconds until the slot is free, unless it changes; {@code Long.MAX_VALUE} if only its
     * session ends it.
     */
    private long untilFree(Slot slot) {
        HolderMark mark = slot.mark();
        if (mark == null || (mark.silent() && !slot.hasEnded())) {
            return Long.MAX_VALUE;
        }
        long after = slot.hasEnded() ? mark.trustedNanos(UNKNOWN_TTL_MILLIS) : mark.unrenewedNanos();
        return after - parts.observations().unchangedNanos(slot.entry());
    }

    private void free(Layout layout, KeyView view, Slot slot, long deadline) {
        HolderMark mark = slot.mark();
        String nonce = mark == null ? "" : mark.nonce();
        Written freed = parts.writer().free(layout, view, slot, nonce, deadline);
        if (freed instanceof Written.Done && mark != null && mark.isDetached() && !slot.hasEnded()) {
            parts.endSession(slot.session(), END_TIMEOUT);
        }
    }

    /** Deletes the ticket of a dead head. Returns true if the key must be read again. */
    boolean evictDeadHead(Layout layout, KeyView view, long limit, long deadline) {
        QueuedTicket head = view.head().orElse(null);
        if (head == null || !view.hasRoom(limit) || headLeft(view, head) > 0) {
            return false;
        }
        KeyView fresh = parts.read(view.path(), deadline);
        Observations.stillHead(fresh, view, head).ifPresent(dead -> {
            Written unused = parts.writer()
                    .write(
                            layout,
                            view.path(),
                            layout.transactions().evict(fresh, dead),
                            after ->
                                    after.entry(dead.entry().key()) == null ? OptionalLong.of(0) : OptionalLong.empty(),
                            deadline);
        });
        return true;
    }

    /**
     * Restarts the times of tickets, because Consul did not answer this client, and perhaps not
     * others either.
     */
    void outage(KeyPath path) {
        parts.observations().forgetBelow(path.ticket(""));
    }
}
