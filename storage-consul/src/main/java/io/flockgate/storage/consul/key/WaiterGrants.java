package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.format.HolderMark.PendingGrant;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.Slot;
import io.flockgate.storage.consul.format.TicketMark.QueuedTicket;
import io.flockgate.storage.consul.key.LocalWaiter.Doubtful;
import io.flockgate.storage.consul.kv.ConsulException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Gives grants to the waiters of this gateway at one key. For the key's own thread only.
 *
 * <p>A grant whose session is in doubt is neither confirmed nor discarded. Its waiter keeps it, and
 * it is settled with a later view.
 */
final class WaiterGrants {
    static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final LocalKey key;
    private final GrantMaker grants;

    WaiterGrants(LocalKey key, GrantMaker grants) {
        this.key = key;
        this.grants = grants;
    }

    /**
     * Applies what a view shows about the waiters: removals by other gateways, and grants that were
     * in doubt. Must be called before a new view is used for any decision.
     *
     * @throws ConsulException while a grant is in doubt. The same view can be applied later
     */
    void apply(KeyView view) {
        applyRemovals(view);
        for (LocalWaiter waiter : key.waiters.queued()) {
            Doubtful doubtful = doubtfulIn(view, waiter);
            if (doubtful != null) {
                key.sessions.requireCertain(doubtful.grant().session());
                settle(view, waiter, doubtful);
            }
        }
    }

    /**
     * Settles only the grants under safe sessions. A doubt about other sessions must not prevent a
     * slot from being freed or a waiter from leaving.
     */
    void applySafe(KeyView view) {
        for (LocalWaiter waiter : key.waiters.queued()) {
            Doubtful doubtful = doubtfulIn(view, waiter);
            if (doubtful != null && key.sessions.isSafe(doubtful.grant().session())) {
                settle(view, waiter, doubtful);
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

    private static @Nullable Doubtful doubtfulIn(KeyView view, LocalWaiter waiter) {
        Doubtful doubtful = waiter.doubtful();
        return doubtful != null && view.slotOf(doubtful.grant().nonce()).isPresent() ? doubtful : null;
    }

    private void settle(KeyView view, LocalWaiter waiter, Doubtful doubtful) {
        WriteOutcome.Done written = doubtful.done();
        waiter.doubtful(null);
        granted(waiter, doubtful.grant(), new WriteOutcome.Done(view, written.sentAt(), written.seenBefore()));
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
        if (key.sessions.isInDoubt(pending.session())) {
            discardDoubtful(waiter);
            waiter.doubtful(new Doubtful(pending, done));
            key.dueIn(RETRY_NANOS);
            return;
        }
        LocalGrant grant = grants.confirm(pending, waiter.claim(), waiter.claimant(), done);
        // Without a grant, the waiter has lost its ticket and queues again.
        if (grant != null && remove(waiter)) {
            waiter.claimant().granted(waiter, grant);
        }
    }

    /**
     * Removes a waiter, and discards its grant if that is in doubt. Returns false when the waiter
     * was no longer waiting.
     */
    boolean remove(LocalWaiter waiter) {
        boolean removed = key.waiters.removeQueued(waiter);
        if (removed) {
            discardDoubtful(waiter);
        }
        return removed;
    }

    private void discardDoubtful(LocalWaiter waiter) {
        Doubtful doubtful = waiter.doubtful();
        if (doubtful != null) {
            waiter.doubtful(null);
            grants.discard(doubtful.grant());
        }
    }
}
