package io.flockgate.storage.consul.key;

import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.PendingGrant;
import io.flockgate.consul.format.QueuedTicket;
import io.flockgate.consul.format.Slot;
import io.flockgate.consul.format.Transactions;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.KvEntry;
import io.flockgate.consul.kv.KvOp;
import io.flockgate.storage.consul.api.Consistency;
import io.flockgate.storage.consul.environment.Environment;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Frees the slots of one key, and hands each over to the head of the queue if that is possible. For
 * the key's own thread only.
 *
 * <ol>
 *   <li>Take the last view, or read one. Apply the grants in it that other gateways have made to
 *       waiters of this one.
 *   <li>If a foreign client may wait, only free the slot. That is other software which uses the
 *       key, such as {@code consul lock}.
 *   <li>If the head of the queue waits at this gateway, grant the head in the transaction that
 *       frees the slot.
 *   <li>If the head waits at another gateway, that gateway is alive, and the ticket has an offer
 *       ({@link WaiterGrants}), make the offered grant in that transaction. Otherwise only free the
 *       slot.
 *   <li>After a conflict, begin again with a newer view. After a refusal because a session has
 *       ended, use no more offers.
 * </ol>
 */
final class SlotHandover {
    /**
     * After this number of conflicts, only the holder's key of a semaphore is deleted. The next
     * write corrects the document.
     */
    private static final int TRIES_WITH_DOCUMENT = 6;

    private final Environment environment;
    private final KeyStore store;
    private final LocalWaiters waiters;
    private final GrantMaker grants;
    private final TicketRides rides;
    private final WaiterGrants waiterGrants;
    private final FailureDetector detector;
    private final Transactions transactions;
    private final GatewaySettings settings;

    SlotHandover(KeyContext context, GrantMaker grants, TicketRides rides, WaiterGrants waiterGrants) {
        this.environment = context.environment;
        this.store = context.store;
        this.waiters = context.waiters;
        this.grants = grants;
        this.rides = rides;
        this.waiterGrants = waiterGrants;
        this.detector = context.detector;
        this.transactions = context.transactions;
        this.settings = context.settings;
    }

    /**
     * Frees a slot. False when there is no such slot.
     *
     * @throws ConsulException when the slot is not known to be free by the deadline
     */
    boolean free(Function<KeyView, Optional<Slot>> which, long deadline) {
        return free(which, false, deadline);
    }

    /**
     * Frees a slot as {@link #free} does, and lets the gateway of its grant know that an operator
     * has done so.
     */
    boolean evict(Function<KeyView, Optional<Slot>> which, long deadline) {
        return free(which, true, deadline);
    }

    private boolean free(Function<KeyView, Optional<Slot>> which, boolean evicts, long deadline) {
        KeyView view = viewToFree(which, deadline);
        waiterGrants.applySafe(view);
        boolean offersLive = true;
        for (int tries = 0; ; tries++) {
            Slot slot = which.apply(view).orElse(null);
            if (slot == null) {
                view = store.read(Consistency.CONSISTENT, deadline);
                slot = which.apply(view).orElse(null);
                if (slot == null) {
                    return false;
                }
            }
            WriteOutcome outcome = tries >= TRIES_WITH_DOCUMENT && !slot.isLock(view.path())
                    ? freeWithoutDocument(view, slot, evicts, deadline)
                    : freeOrHandOver(view, slot, evicts, offersLive, deadline);
            switch (outcome) {
                case WriteOutcome.Done done -> {
                    grants.freed(slot);
                    return true;
                }
                case WriteOutcome.Refused refused -> offersLive &= !refused.byInvalidSession();
            }
            view = store.latestAfterConflict(tries + 1, deadline);
            waiterGrants.applySafe(view);
        }
    }

    /**
     * A view that is new enough to free a slot. For a lock it is the last view, because mostly only
     * the holder changes a held lock. For a semaphore it is the last view if claims of this gateway
     * wait, because a watch then shows changes by others. Tickets that the view lacks are behind
     * those in it.
     */
    private KeyView viewToFree(Function<KeyView, Optional<Slot>> which, long deadline) {
        KeyView last = store.latest();
        if (last == null || (last.isPartial() && last.head().isEmpty())) {
            return store.read(deadline);
        }
        boolean enough = which.apply(last)
                .filter(slot -> slot.isLock(last.path()) || !waiters.isEmpty())
                .isPresent();
        return enough ? last : store.lastOrRead(deadline);
    }

    private WriteOutcome freeWithoutDocument(KeyView view, Slot slot, boolean evicts, long deadline) {
        KvEntry held = slot.entry();
        List<KvOp> operations = withNotice(transactions.deleteContender(held), view, slot, evicts);
        return store.write(operations, after -> after.entry(held.key()) == null, deadline);
    }

    private WriteOutcome freeOrHandOver(KeyView view, Slot slot, boolean evicts, boolean offersLive, long deadline) {
        QueuedTicket head = view.head().orElse(null);
        // A foreign client that waits for a lock writes nothing to Consul. At a mapped key, assume that one waits.
        boolean mayHaveForeignWaiters = view.hasForeignWaiters() || (view.path().mapped() && slot.isLock(view.path()));
        LocalWaiter waiter = head == null ? null : waiters.queued(head.name());
        PendingGrant local = mayHaveForeignWaiters ? null : prepareIfPossible(view, waiter, slot);
        if (head != null && waiter != null && local != null) {
            WriteOutcome outcome = rides.write(
                    withNotice(transactions.handOver(view, slot, head, local), view, slot, evicts),
                    all -> grants.write(all, local, after -> GoneSlots.isGone(after, slot), deadline));
            if (outcome instanceof WriteOutcome.Done done) {
                waiterGrants.granted(waiter, local, done);
            }
            return outcome;
        }
        PendingGrant offer = mayHaveForeignWaiters || !offersLive || head == null ? null : usableOffer(view, head);
        List<KvOp> freeing = head == null || offer == null
                ? transactions.free(view, slot)
                : transactions.handOver(view, slot, head, offer);
        return rides.write(
                withNotice(freeing, view, slot, evicts),
                all -> store.write(all, after -> GoneSlots.isGone(after, slot), deadline));
    }

    private List<KvOp> withNotice(List<KvOp> freeing, KeyView view, Slot slot, boolean evicts) {
        return evicts && !settings.isMine(slot.mark()) ? transactions.withNotice(freeing, view, slot) : freeing;
    }

    private @Nullable PendingGrant prepareIfPossible(KeyView view, @Nullable LocalWaiter waiter, Slot freed) {
        try {
            return waiterGrants.prepare(view, waiter, freed);
        } catch (ConsulException e) {
            // The slot is freed without a grant.
            return null;
        }
    }

    /**
     * The offer of a head at another gateway that is alive, if the head fits once a slot is free;
     * null otherwise.
     */
    private @Nullable PendingGrant usableOffer(KeyView view, QueuedTicket head) {
        String gateway = head.mark().gateway();
        PendingGrant offer = head.mark().offer();
        if (offer == null) {
            return null;
        }
        boolean usable =
                view.slots().size() - 1 < offer.limit() && !settings.isMine(gateway) && detector.isAlive(gateway, view);
        return usable ? offer.to(head.mark().client(), environment.timeOfDay()) : null;
    }
}
