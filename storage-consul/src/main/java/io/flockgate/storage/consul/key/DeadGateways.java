package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.layout.HolderMark;
import io.flockgate.storage.consul.layout.KeyView;
import io.flockgate.storage.consul.layout.Queued;
import io.flockgate.storage.consul.layout.Slot;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Looks after what dead gateways have left at one key: heads that take no slot, holders whose leases have run out. For the
 * key's own thread only.
 */
final class DeadGateways {
    /** For clocks that do not run equally fast, and for a gateway that is slow but alive. */
    private static final long GRACE_MILLIS = 1_000;

    /** For a head of a gateway that has been silent once: enough for one that lives again. */
    private static final long LAST_CALL_NANOS = KeyQueue.DEAD_HEAD_NANOS / 4;

    private final Node node;
    private final KeyGrants grants;
    private final ReturnedTickets tickets;
    private final Observations observations = new Observations();
    private final SilentGateways silent = new SilentGateways();
    private long due = Long.MAX_VALUE;

    DeadGateways(Node node, KeyGrants grants, ReturnedTickets tickets) {
        this.node = node;
        this.grants = grants;
        this.tickets = tickets;
    }

    /** Ends what is due; says after how many nanoseconds to look again if nothing changes. */
    long look(KeyView view, long deadline) {
        due = Long.MAX_VALUE;
        silent.look(view);
        Set<String> watched = new HashSet<>();
        view.head().ifPresent(head -> watchHead(view, head, watched, deadline));
        for (Slot slot : view.slots()) {
            watchHolder(view, slot, watched, deadline);
        }
        observations.keepOnly(watched);
        return due;
    }

    private void watchHead(KeyView view, Queued head, Set<String> watched, long deadline) {
        String gateway = head.mark().gateway();
        if (node.settings().isMine(gateway)
                || view.slots().size() >= head.mark().limit()) {
            return;
        }
        String entry = head.entry().key();
        long now = node.now();
        long unmoved = now - observations.since(entry, head.entry().modifyIndex(), now);
        long patience = silent.has(gateway) ? LAST_CALL_NANOS : KeyQueue.DEAD_HEAD_NANOS;
        if (unmoved < patience) {
            watched.add(entry);
            dueIn(patience - unmoved);
        } else {
            silent.add(gateway, view);
            boolean unused = tickets.dequeue(head, deadline);
            dueIn(0);
        }
    }

    private void watchHolder(KeyView view, Slot slot, Set<String> watched, long deadline) {
        HolderMark mark = slot.mark();
        if (mark == null || node.settings().isMine(mark.gateway()) || mark.silent()) {
            return;
        }
        String entry = slot.entry().key();
        long now = node.now();
        long unmoved = now - observations.since(entry, slot.entry().modifyIndex(), now);
        long patience = TimeUnit.MILLISECONDS.toNanos(
                Math.min(mark.leaseMillis(), Long.MAX_VALUE - GRACE_MILLIS) + GRACE_MILLIS);
        if (unmoved < patience) {
            watched.add(entry);
            dueIn(patience - unmoved);
        } else {
            silent.add(mark.gateway(), view);
            long index = slot.entry().modifyIndex();
            boolean unused = grants.free(
                    found -> found.slotOf(mark.nonce())
                            .filter(still -> still.entry().modifyIndex() == index),
                    deadline);
            dueIn(0);
        }
    }

    private void dueIn(long nanos) {
        due = Math.min(due, nanos);
    }
}
