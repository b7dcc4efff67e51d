package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.format.HolderMark;
import io.flockgate.storage.consul.format.HolderMark.SessionOrigin;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.Slot;
import io.flockgate.storage.consul.format.TicketMark.QueuedTicket;
import io.flockgate.storage.consul.format.Transactions;
import io.flockgate.storage.consul.key.LocalGateway.GatewaySettings;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvOp;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Evicts waiters and holders of dead gateways at one key. For the key's own thread only.
 *
 * <ol>
 *   <li>If a head of another gateway does not take a free slot within the time that its ticket
 *       states, read again. If nothing has changed, delete the tickets of its gateway. If that
 *       gateway is alive after all, it writes new ones.
 *   <li>If a lease of another gateway has ended, and its renewals are not silent, free the slot.
 *   <li>If the session of a slot has ended without a release, free the slot once the holder's
 *       gateway has certainly given it up:
 *       <ol>
 *         <li>That gateway gives up the grant no later than one TTL after its last renewal, which
 *             was sent before the session ended.
 *         <li>If the session's node has been in the catalog throughout, only the session has ended:
 *             either for lack of renewals, in which case its gateway gave up long ago, or because
 *             an operator ended it. The slot is free at once.
 *         <li>Otherwise the agent has left its cluster, and the holder's gateway may not know that.
 *             The slot is free once this gateway has seen it unchanged for the TTL in the mark plus
 *             one second.
 *         <li>A slot of this gateway is free once its grant has been ended here.
 *         <li>A detached grant has no gateway that gives it up. Its slot is free once this gateway
 *             has seen it unchanged for the longer of the lease and the TTL in its mark, plus one
 *             second.
 *       </ol>
 *   <li>While claims of this gateway wait, {@link #evictDead} checks these rules at each view, and
 *       records in {@link LocalKey#due} when the next of these times ends. {@link #evictDeadFrom}
 *       checks them for each new claim, so that a claim that does not queue can get the slot. Of
 *       the leases it checks only those of detached grants, which may outlive their gateway; the
 *       others end with their gateway's session.
 * </ol>
 */
final class Evictor {
    private final LocalKey key;
    private final SlotHandover handover;

    Evictor(LocalKey key, SlotHandover handover) {
        this.key = key;
        this.handover = handover;
    }

    /** Evicts waiters and holders of dead gateways for the claims that wait. */
    void evictDead(KeyView view, long deadline) {
        Set<String> watched = new HashSet<>();
        view.head()
                .filter(head -> isRemoteWithFreeSlot(view, head))
                .ifPresent(head ->
                        whenOver(headLeft(view, head), head.entry(), watched, () -> evict(view, head, deadline)));
        for (Slot slot : view.slots()) {
            HolderMark mark = slot.mark();
            if (slot.hasEnded()) {
                whenOver(endedLeft(view, slot), slot.entry(), watched, () -> freeEnded(slot, deadline));
            } else if (mark != null && isOfOthers(slot, mark)) {
                whenOver(leaseLeft(view, slot, mark), slot.entry(), watched, () -> freeUnchanged(slot, mark, deadline));
            }
        }
        key.gateway.detector.keepOnly(view, watched);
    }

    /**
     * Evicts once no time is left, and makes the key due at once, so that it is checked again.
     * Until then, keeps observing the entry.
     */
    private void whenOver(long left, KvEntry entry, Set<String> watched, BooleanSupplier evict) {
        if (left > 0) {
            watched.add(entry.key());
            key.dueIn(left);
        } else {
            boolean unused = evict.getAsBoolean();
            key.dueIn(0);
        }
    }

    /** The nanoseconds left for a head of another gateway to take a free slot. */
    private long headLeft(KeyView view, QueuedTicket head) {
        long since = key.gateway.detector.headUnchangedSince(view, head);
        return TimeUnit.MILLISECONDS.toNanos(head.mark().actMillis()) - (key.now() - since);
    }

    private boolean isRemoteWithFreeSlot(KeyView view, QueuedTicket head) {
        return !key.settings.isMine(head.mark().gateway())
                && view.hasRoom(head.mark().limit(), null);
    }

    /** Returns false if the head is alive after all, or this gateway cannot decide that. */
    private boolean evict(KeyView view, QueuedTicket head, long deadline) {
        long since = key.gateway.detector.headUnchangedSince(view, head);
        KeyView fresh = key.store.read(Consistency.CONSISTENT, deadline);
        QueuedTicket still = FailureDetector.stillHead(fresh, view, head).orElse(null);
        // Checked after the read, because Consul may have failed to answer during the read.
        if (still == null || !key.gateway.detector.hadNoOutageSince(since)) {
            return false;
        }
        List<KvOp> operations = new ArrayList<>(key.transactions.evict(fresh, still));
        operations.addAll(key.transactions.delete(othersOf(fresh, still)));
        return key.store.write(operations, after -> after.ticket(still.name()).isEmpty(), deadline)
                instanceof WriteOutcome.Done;
    }

    /** The other tickets of the head's gateway, as many as fit into the transaction. */
    private static List<KvEntry> othersOf(KeyView view, QueuedTicket head) {
        return view.queue().stream()
                .filter(each -> each.mark().gateway().equals(head.mark().gateway()))
                .filter(each -> !each.name().equals(head.name()))
                .map(QueuedTicket::entry)
                .limit(Transactions.MAX_DELETED - 1)
                .toList();
    }

    /**
     * Whether the grant has a live session, is renewed by writes, and is not one whose lease this
     * gateway ends.
     */
    private boolean isOfOthers(Slot slot, HolderMark mark) {
        return !slot.hasEnded() && !key.grants.has(mark.nonce()) && !mark.isSilent();
    }

    /** The nanoseconds until the lease has certainly ended. */
    private long leaseLeft(KeyView view, Slot slot, HolderMark mark) {
        return mark.unrenewedNanos() - (key.now() - key.gateway.detector.holderUnchangedSince(view, slot));
    }

    private boolean freeUnchanged(Slot slot, HolderMark mark, long deadline) {
        long index = slot.entry().modifyIndex();
        return handover.free(
                found ->
                        found.slotOf(mark.nonce()).filter(still -> still.entry().modifyIndex() == index),
                deadline);
    }

    /**
     * Prepares the decision on one claim: frees the slots of dead holders, and evicts dead heads. A
     * slot is freed if its session has ended and its holder no longer relies on it, or if it has a
     * detached grant whose lease has ended. Returns the view with which to continue.
     */
    KeyView evictDeadFrom(KeyView view, long deadline) {
        KeyView now = withoutEnded(view, deadline);
        QueuedTicket head = now.head().orElse(null);
        while (head != null
                && isRemoteWithFreeSlot(now, head)
                && headLeft(now, head) <= 0
                && evict(now, head, deadline)) {
            now = key.store.lastOrRead(deadline);
            head = now.head().orElse(null);
        }
        return key.store.lastOr(now);
    }

    private KeyView withoutEnded(KeyView view, long deadline) {
        boolean freed = false;
        key.gateway.detector.keepShown(view);
        for (Slot slot : view.slots()) {
            HolderMark mark = slot.mark();
            if (mark != null && mark.isDetached() && isOfOthers(slot, mark)) {
                freed |= leaseLeft(view, slot, mark) <= 0 && freeUnchanged(slot, mark, deadline);
            }
        }
        for (Slot slot : view.endedSlots()) {
            freed |= endedLeft(view, slot) <= 0 && freeEnded(slot, deadline);
        }
        return freed ? key.store.lastOrRead(deadline) : view;
    }

    private boolean freeEnded(Slot slot, long deadline) {
        KvEntry entry = slot.entry();
        return handover.free(
                found -> found.endedSlots().stream()
                        .filter(each -> each.entry().key().equals(entry.key()))
                        .filter(each -> each.entry().modifyIndex() == entry.modifyIndex())
                        .findFirst(),
                deadline);
    }

    /**
     * The nanoseconds until a slot whose session has ended is free, not positive when it is; {@code
     * Long.MAX_VALUE} when this class does not decide that.
     */
    private long endedLeft(KeyView view, Slot slot) {
        HolderMark mark = slot.mark();
        if (mark == null) {
            return Long.MAX_VALUE;
        }
        if (key.settings.isMine(mark) && !mark.isDetached()) {
            return key.grants.has(mark.nonce()) ? Long.MAX_VALUE : 0;
        }
        long unchanged = key.now() - key.gateway.detector.holderUnchangedSince(view, slot);
        long grace = untilDistrusted(mark, key.settings, unchanged);
        return grace > 0 && !mark.isDetached() && hasEndedAlone(slot, mark.origin()) ? 0 : grace;
    }

    /**
     * The nanoseconds for which a holder may still trust a slot whose session has ended and that
     * has been unchanged for this time; not positive when it no longer does.
     */
    static long untilDistrusted(HolderMark mark, GatewaySettings settings, long unchangedNanos) {
        return mark.trustedNanos(settings.options().sessionTtl().toMillis()) - unchangedNanos;
    }

    /** Whether the session's node was in the catalog before the session ended, and still is. */
    private boolean hasEndedAlone(Slot slot, SessionOrigin origin) {
        String node = origin.node();
        try {
            long registeredAt = node == null ? 0 : key.gateway.api.nodeIndex(node);
            return registeredAt != 0
                    && Long.compareUnsigned(registeredAt, slot.entry().modifyIndex()) < 0;
        } catch (ConsulException e) {
            return false;
        }
    }
}
