package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.api.Consistency;
import io.flockgate.storage.consul.layout.HolderMark;
import io.flockgate.storage.consul.layout.KeyView;
import io.flockgate.storage.consul.layout.QueuedTicket;
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

    /** For a head of a gateway that has been silent once: enough for one that lives again and is connected. */
    private static final long LAST_CALL_NANOS = KeyQueue.DEAD_HEAD_NANOS / 4;

    private final Node node;
    private final KeyStore store;
    private final KeyGrants grants;
    private final Observations observations = new Observations();
    private final SilentGateways silent = new SilentGateways();
    private long due = Long.MAX_VALUE;

    DeadGateways(Node node, KeyStore store, KeyGrants grants) {
        this.node = node;
        this.store = store;
        this.grants = grants;
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

    /** Indexes have begun anew: none says that a gateway has been silent. */
    void indexesRestarted() {
        silent.clear();
    }

    private void watchHead(KeyView view, QueuedTicket head, Set<String> watched, long deadline) {
        if (!leavesItsSlot(view, head)) {
            return;
        }
        String entry = head.entry().key();
        long now = node.now();
        // While Consul did not answer here, the other may have been cut off from it as well.
        long since = node.contact().since(observations.since(entry, head.entry().modifyIndex(), now));
        long patience = silent.has(head.mark().gateway()) ? LAST_CALL_NANOS : KeyQueue.DEAD_HEAD_NANOS;
        if (now - since < patience) {
            watched.add(entry);
            dueIn(patience - (now - since));
        } else {
            evict(head, since, deadline);
            dueIn(0);
        }
    }

    private boolean leavesItsSlot(KeyView view, QueuedTicket head) {
        return !node.settings().isMine(head.mark().gateway())
                && view.slots().size() < head.mark().limit();
    }

    /** On a fresh look, in the time of which Consul must have answered too. */
    private void evict(QueuedTicket head, long since, long deadline) {
        KeyView fresh = store.read(Consistency.CONSISTENT, deadline);
        QueuedTicket still = fresh.head()
                .filter(now -> now.entry().key().equals(head.entry().key()))
                .filter(now -> now.entry().modifyIndex() == head.entry().modifyIndex())
                .filter(now -> leavesItsSlot(fresh, now))
                .orElse(null);
        if (still != null && node.contact().since(since) == since) {
            silent.add(head.mark().gateway(), fresh);
            WriteOutcome unused = store.write(
                    node.transactions().evict(fresh, still),
                    after -> after.ticket(still.name()).isEmpty(),
                    deadline);
        }
    }

    private void watchHolder(KeyView view, Slot slot, Set<String> watched, long deadline) {
        HolderMark mark = slot.mark();
        if (mark == null || node.settings().isMine(mark.gateway()) || mark.silent()) {
            return;
        }
        String entry = slot.entry().key();
        long now = node.now();
        long since = observations.since(entry, slot.entry().modifyIndex(), now);
        long patience = TimeUnit.MILLISECONDS.toNanos(
                Math.min(mark.leaseMillis(), Long.MAX_VALUE - GRACE_MILLIS) + GRACE_MILLIS);
        if (now - since < patience) {
            watched.add(entry);
            dueIn(patience - (now - since));
        } else {
            if (node.contact().since(since) == since) {
                silent.add(mark.gateway(), view);
            }
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
