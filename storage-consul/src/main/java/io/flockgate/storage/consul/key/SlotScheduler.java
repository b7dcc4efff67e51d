package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.PendingGrant;
import io.flockgate.storage.consul.format.QueuedTicket;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.rules.Observations;

/**
 * Advances the queue of one key whenever the key changes while waiters of this gateway are queued.
 * For the key's own thread only.
 *
 * <ol>
 *   <li>While the head waits at this gateway and a slot is free, grant the head. After a conflict,
 *       start again with a newer view.
 *   <li>If the head cannot be granted now, touch its ticket, so that other gateways see that it is
 *       alive. {@link StuckHead} limits that.
 *   <li>Let {@link Evictor} evict the waiters and holders of dead gateways.
 * </ol>
 */
final class SlotScheduler {
    private static final int MAX_REFUSALS = 8;

    private final KeyContext key;
    private final GrantMaker grants;
    private final WaiterGrants waiterGrants;
    private final Evictor evictor;
    private final StuckHead stuck;

    SlotScheduler(KeyContext key, GrantMaker grants, WaiterGrants waiterGrants, Evictor evictor) {
        this.key = key;
        this.grants = grants;
        this.waiterGrants = waiterGrants;
        this.evictor = evictor;
        this.stuck = new StuckHead(key.store, key.transactions, key.environment);
    }

    /** Advances the queue in this view. Must run again at the time in {@link Due}. */
    void schedule(KeyView view, long deadline) {
        evictor.evictDead(promote(view, deadline), deadline);
    }

    private KeyView promote(KeyView first, long deadline) {
        KeyView view = first;
        for (int refusals = 0; refusals < MAX_REFUSALS; ) {
            QueuedTicket head = view.head().orElse(null);
            LocalWaiter waiter = head == null ? null : key.waiters.queued(head.name());
            PendingGrant next;
            try {
                next = waiterGrants.prepare(view, waiter, null);
            } catch (ConsulException e) {
                // There is currently no session for the head.
                if (e.isOutage() || ++refusals >= MAX_REFUSALS || !stuck.givesUp(head, deadline)) {
                    return touch(view, deadline);
                }
                view = key.store.lastOr(view);
                continue;
            }
            if (head == null || waiter == null || next == null) {
                return view;
            }
            switch (promote(view, head, next, deadline)) {
                case WriteOutcome.Done done -> {
                    waiterGrants.granted(waiter, next, done);
                    view = key.store.lastOr(view);
                }
                case WriteOutcome.Refused refused -> {
                    if (refused.byLockDelay()) {
                        return touch(key.store.read(deadline), deadline);
                    }
                    refusals++;
                    view = key.store.latestAfterConflict(refusals, deadline);
                    waiterGrants.apply(view);
                }
            }
        }
        key.due.in(WaiterGrants.RETRY_NANOS);
        return touch(view, deadline);
    }

    private WriteOutcome promote(KeyView view, QueuedTicket head, PendingGrant next, long deadline) {
        return grants.write(
                key.transactions.promote(view, head, next),
                next,
                after -> after.slotOf(next.nonce()).isPresent(),
                deadline);
    }

    /**
     * Changes the ticket of a head that cannot take its slot now, so that other gateways see that
     * the head is alive.
     */
    private KeyView touch(KeyView view, long deadline) {
        key.due.in(Observations.DEAD_HEAD_NANOS / 2);
        QueuedTicket head = view.head().orElse(null);
        if (head != null && key.waiters.queued(head.name()) != null) {
            long touched = head.mark().touches() + 1;
            WriteOutcome unused = key.store.write(
                    key.transactions.touch(head),
                    after -> after.ticket(head.name())
                            .filter(now -> now.mark().touches() == touched)
                            .isPresent(),
                    deadline);
        }
        return key.store.lastOr(view);
    }
}
