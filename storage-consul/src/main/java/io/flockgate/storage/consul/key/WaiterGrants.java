package io.flockgate.storage.consul.key;

import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.PendingGrant;
import io.flockgate.consul.format.QueuedTicket;
import io.flockgate.consul.format.Slot;
import io.flockgate.consul.kv.ConsulException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Gives grants to the waiters of this gateway at one key. For the key's own thread only.
 *
 * <p>An offer is a grant that a waiter's gateway has prepared and written into the waiter's ticket,
 * so that any gateway can make that grant. A view shows the grants that other gateways have made.
 */
final class WaiterGrants {
    static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final KeyContext key;
    private final GrantMaker grants;

    WaiterGrants(KeyContext key, GrantMaker grants) {
        this.key = key;
        this.grants = grants;
    }

    /**
     * Applies the grants and removals by other gateways that a view shows. Must be the first use of
     * each new view.
     *
     * @throws ConsulException while the session of such a grant is in doubt. The waiter keeps its
     *     offer, so that the same view can be applied later
     */
    void applyRemote(KeyView view) {
        key.detector.observe(view);
        applyRemovals(view);
        for (LocalWaiter waiter : key.waiters.queued()) {
            PendingGrant offer = offerIn(view, waiter);
            if (offer != null) {
                grants.requireCertain(offer);
                apply(view, waiter, offer);
            }
        }
    }

    /**
     * Applies only the grants under safe sessions. A doubt about other sessions must not prevent a
     * slot from being freed or a waiter from leaving.
     */
    void applySafe(KeyView view) {
        key.detector.observe(view);
        for (LocalWaiter waiter : key.waiters.queued()) {
            PendingGrant offer = offerIn(view, waiter);
            if (offer != null && grants.isSafe(offer)) {
                apply(view, waiter, offer);
            }
        }
    }

    /**
     * Notifies the waiters whose tickets an operator has marked at another gateway. Their tickets
     * are deleted later.
     */
    private void applyRemovals(KeyView view) {
        for (QueuedTicket ticket : view.removed()) {
            LocalWaiter waiter = key.waiters.queued(ticket.name());
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
        WriteOutcome.Done done = waiter.grantIn(view, key.environment.now());
        grants.endOffer(offer);
        waiter.offer(null);
        granted(waiter, offer, done);
    }

    /**
     * Prepares a grant to the head, if the head waits at this gateway and fits once the given slot
     * is free.
     *
     * @param head null when the head does not wait at this gateway
     * @return null when the head cannot have the slot
     * @throws ConsulException when there is no session for the grant
     */
    @Nullable
    PendingGrant prepare(KeyView view, @Nullable LocalWaiter head, @Nullable Slot freed) {
        return head == null || !ClaimRules.hasRoom(view, head.claim(), freed)
                ? null
                : grants.prepareForWaiter(view, head.claim(), head.claimant());
    }

    /**
     * Confirms a written grant. While its session is in doubt, the waiter keeps the grant, and the
     * view is applied again later.
     */
    void granted(LocalWaiter waiter, PendingGrant pending, WriteOutcome.Done done) {
        if (grants.isInDoubt(pending)) {
            grants.withdraw(waiter.offer());
            waiter.inDoubt(pending, done);
            key.due.in(RETRY_NANOS);
            return;
        }
        LocalGrant grant = grants.confirm(pending, waiter.claim(), waiter.claimant(), done);
        if (grant != null) {
            key.shared.holderCount.takeInAnyCase(grant.kind());
        }
        // Without a grant, the waiter has lost its ticket and queues again.
        if (grant != null && remove(waiter)) {
            waiter.claimant().granted(waiter, grant);
        }
    }

    /**
     * Removes a waiter and withdraws its offer. Returns false when the waiter was no longer
     * waiting.
     */
    boolean remove(LocalWaiter waiter) {
        boolean removed = key.waiters.removeQueued(waiter);
        if (removed) {
            withdrawOffer(waiter);
        }
        return removed;
    }

    void withdrawOffer(LocalWaiter waiter) {
        grants.withdraw(waiter.offer());
        waiter.offer(null);
    }
}
