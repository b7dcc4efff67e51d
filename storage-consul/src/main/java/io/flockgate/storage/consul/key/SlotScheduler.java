package io.flockgate.storage.consul.key;

import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.PendingGrant;
import io.flockgate.consul.format.QueuedTicket;
import io.flockgate.consul.format.Slot;
import io.flockgate.consul.format.Transactions;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.KvEntry;
import io.flockgate.consul.kv.KvOp;
import io.flockgate.consul.rules.Observations;
import io.flockgate.storage.consul.api.Consistency;
import io.flockgate.storage.consul.environment.Environment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Gives the slots of one key to waiters, and takes them back. Every change is one transaction,
 * conditional on the view that it was made from. For the key's own thread only.
 *
 * <p>An offer is a grant that a waiter's gateway has prepared and written into the waiter's ticket.
 * So any gateway can make that grant. A foreign client is other software that uses the key, such as
 * {@code consul lock}.
 *
 * <p>To free a slot ({@link #free}):
 *
 * <ol>
 *   <li>Take the last view, or read one. Apply the grants in it that other gateways have made to
 *       waiters of this one.
 *   <li>If a foreign client may wait, only free the slot.
 *   <li>If the head of the queue waits at this gateway, grant the head in the transaction that
 *       frees the slot.
 *   <li>If the head waits at another gateway, that gateway is alive, and the ticket has an offer,
 *       make the offered grant in that transaction. Otherwise only free the slot.
 *   <li>After a conflict, begin again with a newer view. After a refusal because a session has
 *       ended, use no more offers.
 * </ol>
 *
 * <p>To promote waiters ({@link #promote}): while the head waits at this gateway and a slot is
 * free, grant the head. If the head cannot be granted now, touch its ticket, so that other gateways
 * see that it is alive. {@link StuckHead} limits that.
 *
 * <p>{@link Evictor} then evicts waiters and holders of dead gateways.
 */
final class SlotScheduler {
    private static final int MAX_PROMOTIONS_REFUSED = 8;
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /**
     * After this number of conflicts, only the holder's key of a semaphore is deleted. The next
     * write corrects the document.
     */
    private static final int TRIES_WITH_DOCUMENT = 6;

    private final KeyStore store;
    private final LocalWaiters waiters;
    private final GrantMaker grants;
    private final HolderCount holderCount;
    private final TicketRides rides;
    private final FailureDetector detector;
    private final Evictor evictor;
    private final Transactions transactions;
    private final GatewaySettings settings;
    private final Environment environment;
    private final StuckHead stuck;
    private long due = Long.MAX_VALUE;

    SlotScheduler(
            KeyStore store,
            LocalWaiters waiters,
            GrantMaker grants,
            HolderCount holderCount,
            TicketRides rides,
            FailureDetector detector,
            EndedSlots ended,
            Transactions transactions,
            GatewaySettings settings,
            Environment environment) {
        this.store = store;
        this.waiters = waiters;
        this.grants = grants;
        this.holderCount = holderCount;
        this.rides = rides;
        this.detector = detector;
        this.transactions = transactions;
        this.settings = settings;
        this.environment = environment;
        this.stuck = new StuckHead(store, transactions, environment);
        this.evictor = new Evictor(this, store, detector, ended, transactions, settings, environment);
    }

    /**
     * Applies the grants that other gateways have made to waiters of this one. Has to be called
     * first for each new view.
     *
     * @throws ConsulException while the session of such a grant is in doubt. The waiter keeps its
     *     offer, so that the same view can be applied later
     */
    void applyRemoteGrants(KeyView view) {
        detector.observe(view);
        applyRemovals(view);
        for (LocalWaiter waiter : waiters.queued()) {
            PendingGrant offer = offerIn(view, waiter);
            if (offer != null) {
                grants.requireCertain(offer);
                apply(view, waiter, offer);
            }
        }
    }

    /**
     * Applies only the grants under safe sessions. A doubt about others keeps nobody from freeing a
     * slot or leaving.
     */
    void applySafeGrants(KeyView view) {
        detector.observe(view);
        for (LocalWaiter waiter : waiters.queued()) {
            PendingGrant offer = offerIn(view, waiter);
            if (offer != null && grants.isSafe(offer)) {
                apply(view, waiter, offer);
            }
        }
    }

    /**
     * Tells the waiters whose tickets an operator has marked at another gateway. Their tickets are
     * deleted later.
     */
    private void applyRemovals(KeyView view) {
        for (QueuedTicket ticket : view.removed()) {
            LocalWaiter waiter = waiters.queued(ticket.name());
            if (waiter != null && remove(waiter)) {
                waiter.claimant().removed(waiter);
            }
        }
    }

    private static @Nullable PendingGrant offerIn(KeyView view, LocalWaiter waiter) {
        PendingGrant offer = waiter.offer();
        return offer != null && view.slotOf(offer.nonce()).isPresent() ? offer : null;
    }

    private void apply(KeyView view, LocalWaiter waiter, PendingGrant offer) {
        WriteOutcome.Done done = waiter.grantIn(view, environment.now());
        grants.endOffer(offer);
        waiter.offer(null);
        granted(waiter, offer, done);
    }

    /**
     * Confirms a grant that is written. While its session is in doubt, the waiter keeps it, and the
     * view is applied again later.
     */
    private void granted(LocalWaiter waiter, PendingGrant pending, WriteOutcome.Done done) {
        if (grants.isInDoubt(pending)) {
            grants.withdraw(waiter.offer());
            waiter.inDoubt(pending, done);
            dueIn(RETRY_NANOS);
            return;
        }
        LocalGrant grant = grants.confirm(pending, waiter.claim(), waiter.claimant(), done);
        if (grant != null) {
            holderCount.takeInAnyCase(grant.kind());
        }
        // Without a grant the waiter has lost its ticket, and queues again.
        if (grant != null && remove(waiter)) {
            waiter.claimant().granted(waiter, grant);
        }
    }

    /** Removes a waiter, and withdraws its offer. False when the waiter was no longer waiting. */
    boolean remove(LocalWaiter waiter) {
        boolean removed = waiters.removeQueued(waiter);
        if (removed) {
            grants.withdraw(waiter.offer());
            waiter.offer(null);
        }
        return removed;
    }

    /**
     * Frees a slot, and grants it to the head of the queue if that is possible. False when there is
     * no such slot.
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
        applySafeGrants(view);
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
            applySafeGrants(view);
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
                granted(waiter, local, done);
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
            return prepare(view, waiter, freed);
        } catch (ConsulException e) {
            // The slot is freed without a grant.
            return null;
        }
    }

    /**
     * A grant to the head, if the head waits at this gateway and fits once the given slot is free;
     * null otherwise.
     *
     * @throws ConsulException when there is no session for the grant
     */
    private @Nullable PendingGrant prepare(KeyView view, @Nullable LocalWaiter waiter, @Nullable Slot freed) {
        return waiter == null || !ClaimRules.hasRoom(view, waiter.claim(), freed)
                ? null
                : grants.prepareForWaiter(view, waiter.claim(), waiter.claimant());
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

    /**
     * Grants free slots to heads that wait at this gateway, then evicts waiters and holders of dead
     * gateways.
     */
    void schedule(KeyView view, long deadline) {
        evictor.evictDead(promote(view, deadline), deadline);
    }

    /** Has to be called when the key's indexes have started again, as after a restored snapshot. */
    void indexesRestarted() {
        detector.indexesRestarted(store.path().prefix());
    }

    /**
     * The nanoseconds until {@link #schedule} has to run again if nothing changes; {@code
     * Long.MAX_VALUE} for never.
     */
    long nextDue() {
        return due;
    }

    void clearDue() {
        due = Long.MAX_VALUE;
    }

    /** Makes {@link #nextDue} this early at least. */
    void dueIn(long nanos) {
        due = Math.min(due, nanos);
    }

    private KeyView promote(KeyView first, long deadline) {
        KeyView view = first;
        for (int refusals = 0; refusals < MAX_PROMOTIONS_REFUSED; ) {
            QueuedTicket head = view.head().orElse(null);
            LocalWaiter waiter = head == null ? null : waiters.queued(head.name());
            PendingGrant next;
            try {
                next = prepare(view, waiter, null);
            } catch (ConsulException e) {
                // There is no session for the head now.
                if (e.isOutage() || ++refusals >= MAX_PROMOTIONS_REFUSED || !stuck.givesUp(head, deadline)) {
                    return touch(view, deadline);
                }
                view = store.lastOr(view);
                continue;
            }
            if (head == null || waiter == null || next == null) {
                return view;
            }
            switch (promote(view, head, next, deadline)) {
                case WriteOutcome.Done done -> {
                    granted(waiter, next, done);
                    view = store.lastOr(view);
                }
                case WriteOutcome.Refused refused -> {
                    if (refused.byLockDelay()) {
                        return touch(store.read(deadline), deadline);
                    }
                    refusals++;
                    view = store.latestAfterConflict(refusals, deadline);
                    applyRemoteGrants(view);
                }
            }
        }
        dueIn(RETRY_NANOS);
        return touch(view, deadline);
    }

    private WriteOutcome promote(KeyView view, QueuedTicket head, PendingGrant next, long deadline) {
        return grants.write(
                transactions.promote(view, head, next),
                next,
                after -> after.slotOf(next.nonce()).isPresent(),
                deadline);
    }

    /**
     * Changes the ticket of a head that cannot take its slot now. Other gateways then see that the
     * head is alive.
     */
    private KeyView touch(KeyView view, long deadline) {
        dueIn(Observations.DEAD_HEAD_NANOS / 2);
        QueuedTicket head = view.head().orElse(null);
        if (head != null && waiters.queued(head.name()) != null) {
            long touched = head.mark().touches() + 1;
            WriteOutcome unused = store.write(
                    transactions.touch(head),
                    after -> after.ticket(head.name())
                            .filter(now -> now.mark().touches() == touched)
                            .isPresent(),
                    deadline);
        }
        return store.lastOr(view);
    }

    /**
     * The view to go on with, after slots that nobody believes in any more have been freed, and
     * dead heads evicted.
     */
    KeyView withoutDead(KeyView view, long deadline) {
        return evictor.withoutDead(view, deadline);
    }
}
