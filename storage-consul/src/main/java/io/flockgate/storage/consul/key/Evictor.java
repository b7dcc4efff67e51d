package io.flockgate.storage.consul.key;

import io.flockgate.consul.format.HolderMark;
import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.QueuedTicket;
import io.flockgate.consul.format.Slot;
import io.flockgate.consul.format.Transactions;
import io.flockgate.consul.kv.KvEntry;
import io.flockgate.consul.rules.Observations;
import io.flockgate.storage.consul.api.Consistency;
import io.flockgate.storage.consul.environment.Environment;
import java.util.HashSet;
import java.util.Set;

/**
 * Evicts waiters and holders of dead gateways at one key. For the key's own thread only.
 *
 * <ol>
 *   <li>If a head of another gateway does not take a free slot within the time of the failure
 *       detector, read again. If nothing has changed, suspect its gateway and delete the ticket.
 *       Each claim looks too, so that those who do not queue are not kept out.
 *   <li>If a lease of another gateway is over and was not renewed silently, free the slot. If
 *       Consul has answered all the time, also suspect the gateway. A detached grant may outlive
 *       its gateway. Its lease is looked at in each claim too, so that a claim which does not queue
 *       can have the slot.
 *   <li>If the session of a slot has ended, free the slot when its gateway has given it up for
 *       certain ({@link EndedSlots}).
 * </ol>
 */
final class Evictor {
    private final SlotScheduler slots;
    private final KeyStore store;
    private final FailureDetector detector;
    private final EndedSlots ended;
    private final Transactions transactions;
    private final GatewaySettings settings;
    private final Environment environment;

    /**
     * @param slots frees the slots, and is told when to run this again
     */
    Evictor(
            SlotScheduler slots,
            KeyStore store,
            FailureDetector detector,
            EndedSlots ended,
            Transactions transactions,
            GatewaySettings settings,
            Environment environment) {
        this.slots = slots;
        this.store = store;
        this.detector = detector;
        this.ended = ended;
        this.transactions = transactions;
        this.settings = settings;
        this.environment = environment;
    }

    /** Evicts waiters and holders of dead gateways. */
    void evictDead(KeyView view, long deadline) {
        detector.reviewSuspects(view);
        Set<String> watched = new HashSet<>();
        view.head().ifPresent(head -> evictIfDead(view, head, watched, deadline));
        for (Slot slot : view.slots()) {
            freeIfLeaseOver(view, slot, watched, deadline);
        }
        detector.keepOnly(view, watched);
    }

    private void evictIfDead(KeyView view, QueuedTicket head, Set<String> watched, long deadline) {
        if (!isRemoteWithFreeSlot(view, head)) {
            return;
        }
        long left = headLeft(view, head);
        if (left > 0) {
            watched.add(head.entry().key());
            slots.dueIn(left);
        } else {
            boolean unused = evict(view, head, deadline);
            slots.dueIn(0);
        }
    }

    /** The nanoseconds within which a head of another gateway still has to take its slot. */
    private long headLeft(KeyView view, QueuedTicket head) {
        long since = detector.headUnchangedSince(view, head);
        return detector.headTimeout(view, head) - (environment.now() - since);
    }

    private boolean isRemoteWithFreeSlot(KeyView view, QueuedTicket head) {
        return !settings.isMine(head.mark().gateway())
                && view.hasRoom(head.mark().limit());
    }

    /** False if the head lives after all, or this gateway cannot tell. */
    private boolean evict(KeyView view, QueuedTicket head, long deadline) {
        long since = detector.headUnchangedSince(view, head);
        KeyView fresh = store.read(Consistency.CONSISTENT, deadline);
        QueuedTicket still = Observations.stillHead(fresh, view, head).orElse(null);
        // Checked after the read, because Consul may have failed to answer during the read.
        if (still == null || !detector.hadNoOutageSince(since)) {
            return false;
        }
        detector.suspect(head.mark().gateway(), fresh);
        return store.write(
                        transactions.evict(fresh, still),
                        after -> after.ticket(still.name()).isEmpty(),
                        deadline)
                instanceof WriteOutcome.Done;
    }

    private void freeIfEnded(KeyView view, Slot slot, Set<String> watched, long deadline) {
        long left = ended.untilFree(view, slot);
        if (left > 0) {
            watched.add(slot.entry().key());
            slots.dueIn(left);
        } else {
            boolean unused = freeEnded(slot, deadline);
            slots.dueIn(0);
        }
    }

    private void freeIfLeaseOver(KeyView view, Slot slot, Set<String> watched, long deadline) {
        HolderMark mark = slot.mark();
        if (slot.hasEnded()) {
            freeIfEnded(view, slot, watched, deadline);
            return;
        }
        if (mark == null || !isOfOthers(slot, mark)) {
            return;
        }
        long left = leaseLeft(view, slot, mark);
        if (left > 0) {
            watched.add(slot.entry().key());
            slots.dueIn(left);
        } else {
            if (detector.hadNoOutageSince(detector.holderUnchangedSince(view, slot))) {
                detector.suspect(mark.gateway(), view);
            }
            boolean unused = freeUnchanged(slot, mark, deadline);
            slots.dueIn(0);
        }
    }

    /** Whether another gateway has made the grant, and its lease is renewed by writes. */
    private boolean isOfOthers(Slot slot, HolderMark mark) {
        return !slot.hasEnded() && !settings.isMine(mark.gateway()) && !mark.silent();
    }

    /** The nanoseconds until the lease is over for certain. */
    private long leaseLeft(KeyView view, Slot slot, HolderMark mark) {
        return mark.unrenewedNanos() - (environment.now() - detector.holderUnchangedSince(view, slot));
    }

    private boolean freeUnchanged(Slot slot, HolderMark mark, long deadline) {
        long index = slot.entry().modifyIndex();
        return slots.free(
                found ->
                        found.slotOf(mark.nonce()).filter(still -> still.entry().modifyIndex() == index),
                deadline);
    }

    /**
     * Does for one claim what {@link #evictDead} does while claims wait: frees the slots of ended
     * sessions that nobody believes in any more, and those of detached grants whose leases are
     * over, and evicts dead heads. Returns the view to go on with.
     */
    KeyView withoutDead(KeyView view, long deadline) {
        KeyView now = withoutEnded(view, deadline);
        detector.reviewSuspects(now);
        QueuedTicket head = now.head().orElse(null);
        while (head != null
                && isRemoteWithFreeSlot(now, head)
                && headLeft(now, head) <= 0
                && evict(now, head, deadline)) {
            now = store.lastOrRead(deadline);
            head = now.head().orElse(null);
        }
        return store.lastOr(now);
    }

    private KeyView withoutEnded(KeyView view, long deadline) {
        boolean freed = false;
        detector.keepShown(view);
        for (Slot slot : view.slots()) {
            HolderMark mark = slot.mark();
            if (mark != null && mark.isDetached() && isOfOthers(slot, mark)) {
                freed |= leaseLeft(view, slot, mark) <= 0 && freeUnchanged(slot, mark, deadline);
            }
        }
        for (Slot slot : view.endedSlots()) {
            freed |= ended.untilFree(view, slot) <= 0 && freeEnded(slot, deadline);
        }
        return freed ? store.lastOrRead(deadline) : view;
    }

    private boolean freeEnded(Slot slot, long deadline) {
        KvEntry entry = slot.entry();
        return slots.free(
                found -> found.endedSlots().stream()
                        .filter(each -> each.entry().key().equals(entry.key()))
                        .filter(each -> each.entry().modifyIndex() == entry.modifyIndex())
                        .findFirst(),
                deadline);
    }
}
