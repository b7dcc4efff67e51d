package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.format.HolderMark.PendingGrant;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.TicketMark.QueuedTicket;
import io.flockgate.storage.consul.kv.ConsulException;
import java.util.concurrent.TimeUnit;

/**
 * Advances the queue of one key whenever the key changes while waiters of this gateway are queued.
 * For the key's own thread only.
 *
 * <ol>
 *   <li>While the head waits at this gateway and a slot is free, grant the head. After a conflict,
 *       start again with a newer view.
 *   <li>If the head cannot be granted now, touch its ticket, so that other gateways see that it is
 *       alive. If Consul has refused the head a session for ten seconds, it loses its place
 *       instead, and its waiter queues again at the end, so that it does not block all others
 *       indefinitely. Outages do not count, because they end, or the head's ticket does.
 *   <li>Let {@link Evictor} evict the waiters and holders of dead gateways.
 * </ol>
 */
final class SlotScheduler {
    private static final int MAX_REFUSALS = 8;
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LocalKey key;
    private final GrantMaker grants;
    private final Evictor evictor;

    /** The head that was last refused a session, with the time of the first refusal. */
    private String stuck = "";

    private long stuckSince;

    SlotScheduler(LocalKey key, GrantMaker grants, Evictor evictor) {
        this.key = key;
        this.grants = grants;
        this.evictor = evictor;
    }

    /** Advances the queue in this view. Must run again at the time in {@link LocalKey#due}. */
    void schedule(KeyView view, long deadline) {
        evictor.evictDead(promote(view, deadline), deadline);
    }

    private KeyView promote(KeyView first, long deadline) {
        Promotion promotion = new Promotion(first, deadline);
        while (promotion.refusals < MAX_REFUSALS) {
            if (!promotion.grantHead()) {
                return promotion.view;
            }
        }
        key.dueIn(RETRY_NANOS);
        return touch(promotion.view, deadline);
    }

    /** Grants to one head after the other, with the view after the last step. */
    private final class Promotion {
        private final long deadline;
        private KeyView view;
        private int refusals;

        Promotion(KeyView view, long deadline) {
            this.view = view;
            this.deadline = deadline;
        }

        /** Grants the head if it waits here and a slot is free. Returns false if that is all. */
        boolean grantHead() {
            QueuedTicket head = view.head().orElse(null);
            LocalWaiter waiter = head == null ? null : key.waiters.queued(head.name());
            if (head == null || waiter == null) {
                return false;
            }
            PendingGrant next;
            try {
                next = grants.prepareFor(waiter, view, null);
            } catch (ConsulException e) {
                return continuesWithoutSession(head, e);
            }
            return next != null && grant(head, waiter, next);
        }

        /** There is currently no session for the head. */
        private boolean continuesWithoutSession(QueuedTicket head, ConsulException e) {
            refusals++;
            if (e.isOutage() || refusals >= MAX_REFUSALS || !removeIfStuck(head, deadline)) {
                view = touch(view, deadline);
                return false;
            }
            view = key.store.lastOr(view);
            return true;
        }

        private boolean grant(QueuedTicket head, LocalWaiter waiter, PendingGrant next) {
            switch (write(view, head, next, deadline)) {
                case WriteOutcome.Done done -> {
                    grants.granted(waiter, next, done);
                    view = key.store.lastOr(view);
                }
                case WriteOutcome.Refused refused -> {
                    if (refused.byLockDelay()) {
                        view = touch(key.store.read(deadline), deadline);
                        return false;
                    }
                    refusals++;
                    view = key.store.latestAfterConflict(refusals, deadline);
                    key.waiters.applyRemovals(view);
                }
            }
            return true;
        }
    }

    /**
     * Records that this head was refused a session. Returns true if that has lasted for too long
     * and its ticket was deleted.
     */
    private boolean removeIfStuck(QueuedTicket head, long deadline) {
        if (!isStuck(head.name())) {
            return false;
        }
        String entry = head.entry().key();
        return key.store.write(key.transactions.dequeue(head), after -> after.entry(entry) == null, deadline)
                instanceof WriteOutcome.Done;
    }

    private boolean isStuck(String head) {
        long now = key.now();
        if (!head.equals(stuck)) {
            stuck = head;
            stuckSince = now;
        }
        return now - stuckSince >= PATIENCE_NANOS;
    }

    private WriteOutcome write(KeyView view, QueuedTicket head, PendingGrant next, long deadline) {
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
        key.dueIn(FailureDetector.DEAD_HEAD_NANOS / 2);
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
