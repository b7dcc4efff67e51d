package io.flockgate.storage.consul.key;

import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.KeyAdministration.EvictOutcome;
import io.flockgate.storage.KeyAdministration.LimitOutcome;
import io.flockgate.storage.KeyAdministration.RemoveOutcome;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.SemaphoreDocument;
import io.flockgate.storage.consul.format.Slot;
import io.flockgate.storage.consul.format.TicketMark.QueuedTicket;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Frees slots, removes waiters and changes the limit of one key for operators. For the key's own
 * thread only.
 *
 * <p>To free a slot:
 *
 * <ol>
 *   <li>Read the key, and find the slot with the fence. Its grant may come from any gateway, dead
 *       or alive, or from other software. A slot whose session has ended counts too, because an
 *       operator does not wait for a grace period.
 *   <li>Free the slot as a release does: the same transaction grants the head of the queue if
 *       possible.
 *   <li>A grant of this gateway ends as evicted. For another gateway the transaction leaves a
 *       notice: a ticket with the name of its grant, marked as removed. That gateway therefore also
 *       ends its grant as evicted, not as released. It deletes the notice as it deletes each of its
 *       own tickets that belongs to no waiter.
 * </ol>
 *
 * <p>To remove a waiter of this gateway, give up its place, and notify its claimant. A waiter of
 * another gateway gets a mark in its ticket. The ticket is not deleted, because a gateway replaces
 * a ticket that it has lost. Its gateway notifies the claimant and deletes the ticket. A ticket
 * with the mark is not a place in the queue.
 */
final class OperatorCalls {
    private final LocalKey key;
    private final GrantMaker maker;
    private final SlotHandover handover;
    private final TicketQueue tickets;

    OperatorCalls(LocalKey key, GrantMaker maker, SlotHandover handover, TicketQueue tickets) {
        this.key = key;
        this.maker = maker;
        this.handover = handover;
        this.tickets = tickets;
    }

    /**
     * Frees the slot of the grant with this fence.
     *
     * @param force whether to free a slot that other software holds
     */
    EvictOutcome evict(long fence, boolean force, long deadline) {
        KeyView view = key.store.read(Consistency.CONSISTENT, deadline);
        Slot slot = slotOf(view, fence).orElse(null);
        if (slot == null) {
            return notFound(view);
        }
        if (slot.mark() == null && !force) {
            return EvictOutcome.FOREIGN;
        }
        LocalGrant grant = localGrant(slot);
        if (grant != null) {
            // While the result is unknown, GrantKeeper repeats the release.
            grant.beginRelease();
        }
        boolean freed = handover.evict(now -> slotOf(now, fence), deadline);
        if (grant != null) {
            maker.end(grant, freed ? Ending.EVICTED : Ending.LOST);
        }
        return freed ? EvictOutcome.EVICTED : notFound(key.store.lastOrRead(deadline));
    }

    private static EvictOutcome notFound(KeyView view) {
        return view.slots().isEmpty() ? EvictOutcome.NOT_HELD : EvictOutcome.FENCE_MISMATCH;
    }

    private Optional<Slot> slotOf(KeyView view, long fence) {
        return view.slots().stream()
                .filter(each -> key.gateway.fences.fence(each.fenceIndex()) == fence)
                .findFirst();
    }

    private @Nullable LocalGrant localGrant(Slot slot) {
        return key.grants.all().stream()
                .filter(each -> slot.isOf(each.nonce()))
                .findFirst()
                .orElse(null);
    }

    /** Takes the waiter with this ticket out of the queue. */
    RemoveOutcome remove(String ticket, long deadline) {
        KeyView view = key.store.read(Consistency.CONSISTENT, deadline);
        for (int conflicts = 1; ; conflicts++) {
            key.waiters.applyRemovals(view);
            LocalWaiter waiter = key.waiters.queued(ticket);
            QueuedTicket found = view.ticket(ticket).orElse(null);
            if (waiter != null) {
                return remove(waiter, deadline);
            }
            if (found == null) {
                return RemoveOutcome.NOT_QUEUED;
            }
            WriteOutcome outcome =
                    key.store.write(key.transactions.remove(found), after -> after.isRemoved(ticket), deadline);
            if (outcome instanceof WriteOutcome.Done) {
                return RemoveOutcome.REMOVED;
            }
            view = key.store.readAfterConflict(conflicts, deadline);
        }
    }

    /** Changes the limit in the semaphore's document. */
    LimitOutcome setLimit(long limit, long deadline) {
        KeyView view = key.store.read(Consistency.CONSISTENT, deadline);
        for (int conflicts = 1; ; conflicts++) {
            SemaphoreDocument document = view.document();
            if (document == null) {
                return view.exists() ? LimitOutcome.NO_SEMAPHORE : LimitOutcome.NO_KEY;
            }
            if (document.limit() == limit) {
                return LimitOutcome.CHANGED;
            }
            WriteOutcome outcome = key.store.write(
                    key.transactions.setLimit(view, document, limit), after -> hasLimit(after, limit), deadline);
            if (outcome instanceof WriteOutcome.Done) {
                return LimitOutcome.CHANGED;
            }
            view = key.store.readAfterConflict(conflicts, deadline);
        }
    }

    private static boolean hasLimit(KeyView view, long limit) {
        SemaphoreDocument document = view.document();
        return document != null && document.limit() == limit;
    }

    private RemoveOutcome remove(LocalWaiter waiter, long deadline) {
        if (tickets.leave(List.of(waiter), deadline).getFirst() != LeaveOutcome.LEFT) {
            return RemoveOutcome.NOT_QUEUED;
        }
        waiter.claimant().removed(waiter);
        return RemoveOutcome.REMOVED;
    }
}
