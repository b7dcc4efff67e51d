package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.Transactions;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.KvOp;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;

/**
 * Puts the waiters of this gateway into the queue of one key, and takes them out. For the key's own
 * thread only.
 *
 * <ol>
 *   <li>{@link #join} passes the ticket to the writer. Until it is written, the waiter counts as
 *       enqueuing.
 *   <li>When the ticket is written, {@link #joined} queues the waiter, or {@link #reject} removes
 *       it with its ticket. Without a ticket, {@link #notJoined} removes it.
 *   <li>{@link #rejoin} writes new tickets for queued waiters whose tickets no longer exist, many
 *       in a transaction. They go to the end of the queue, in their order.
 *   <li>{@link #leave} removes waiters and deletes their tickets, many in a transaction.
 * </ol>
 */
final class TicketQueue {
    private final LocalKey key;
    private final TicketWriter writer;
    private final GrantMaker grants;
    private final TicketDeletions deletions;

    TicketQueue(LocalKey key, GrantMaker grants, TicketDeletions deletions) {
        this.key = key;
        this.writer = new TicketWriter(key);
        this.grants = grants;
        this.deletions = deletions;
    }

    /** A waiter that has no ticket yet. */
    LocalWaiter waiter(Claim claim, Claimant claimant) {
        return new LocalWaiter(
                claim,
                claimant,
                grants.client(claimant),
                key.gateway.nextTicket(),
                key.now(),
                key.gateway.pace.actMillis());
    }

    /**
     * Begins to write a waiter's ticket. When the result has completed, on another thread, {@link
     * #joined}, {@link #notJoined} or {@link #reject} must be called on the key's own thread.
     */
    Future<WriteOutcome.Done> join(LocalWaiter waiter, long deadline) {
        Promise<WriteOutcome.Done> written = Promise.promise();
        key.waiters.addEnqueuing(waiter);
        writer.write(new TicketWriter.NewTicket(waiter, deadline, written));
        return written.future();
    }

    /** Queues a waiter whose ticket is written. */
    void joined(LocalWaiter waiter, WriteOutcome.Done done) {
        key.waiters.removeEnqueuing(waiter);
        waiter.queued(done);
        key.waiters.addQueued(waiter);
    }

    /**
     * Removes a waiter that has no ticket. If its ticket appears later, {@link TicketDeletions}
     * deletes it.
     */
    void notJoined(LocalWaiter waiter) {
        key.waiters.removeEnqueuing(waiter);
    }

    /** Removes a waiter whose claim is refused, and deletes its ticket. */
    void reject(LocalWaiter waiter, long deadline) {
        notJoined(waiter);
        delete(List.of(waiter.name()), deadline);
    }

    /** Gives up the places of these waiters. Returns their outcomes, in the same order. */
    List<LeaveOutcome> leave(List<LocalWaiter> leaving, long deadline) {
        List<LeaveOutcome> outcomes = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (LocalWaiter waiter : leaving) {
            boolean left = key.waiters.removeQueued(waiter);
            outcomes.add(left ? LeaveOutcome.LEFT : LeaveOutcome.GRANTED);
            if (left) {
                names.add(waiter.name());
            }
        }
        if (!names.isEmpty()) {
            delete(names, deadline);
        }
        return outcomes;
    }

    private void delete(List<String> names, long deadline) {
        try {
            deletions.delete(names, deadline);
        } catch (ConsulException e) {
            // The waiters have been removed, so their tickets get no slot and can be deleted later.
            deletions.repeatSoon();
        }
    }

    /**
     * Writes new tickets for the waiters that have lost theirs. Returns the view with which to
     * continue.
     */
    KeyView rejoin(KeyView view, long deadline) {
        List<LocalWaiter> missing = key.waiters.queued().stream()
                .filter(waiter -> waiter.isMissingFrom(view))
                .toList();
        KeyView now = view;
        for (int from = 0; from < missing.size(); from += Transactions.MAX_TICKETS) {
            int to = Math.min(missing.size(), from + Transactions.MAX_TICKETS);
            now = rejoinSome(missing.subList(from, to), missing.subList(to, missing.size()), now, deadline);
        }
        return now;
    }

    /**
     * @param behind the waiters that get their tickets after these
     */
    private KeyView rejoinSome(List<LocalWaiter> some, List<LocalWaiter> behind, KeyView view, long deadline) {
        List<LocalWaiter> batch = some.stream()
                .filter(waiter -> waiter.isMissingFrom(view) && key.waiters.removeQueued(waiter))
                .toList();
        if (batch.isEmpty()) {
            return view;
        }
        if (!requeue(batch, behind, deadline)) {
            throw TicketWriter.notTaken();
        }
        KeyView now = key.store.lastOr(view);
        // Must come before decisions about other waiters in the same view.
        key.waiters.applyRemovals(now);
        return now;
    }

    /**
     * Queues waiters with new tickets. Without them, these waiters and those behind keep their
     * order.
     */
    private boolean requeue(List<LocalWaiter> batch, List<LocalWaiter> behind, long deadline) {
        boolean done = false;
        try {
            done = key.now() - deadline < 0 && writeNewTickets(batch, behind.isEmpty(), deadline);
            return done;
        } finally {
            batch.forEach(key.waiters::addQueued);
            if (!done) {
                key.waiters.requeue(behind);
            }
        }
    }

    /** Writes new tickets. Returns false when Consul has refused them. */
    private boolean writeNewTickets(List<LocalWaiter> batch, boolean last, long deadline) {
        for (LocalWaiter waiter : batch) {
            waiter.name(key.gateway.nextTicket());
        }
        WriteOutcome outcome = key.store.write(
                tickets(batch, last), after -> batch.stream().anyMatch(each -> each.isSeenIn(after)), deadline);
        if (outcome instanceof WriteOutcome.Done done) {
            batch.forEach(waiter -> waiter.queued(done));
            return true;
        }
        return false;
    }

    /** Only the last of several transactions reads the queue, because the queue may be long. */
    private List<KvOp> tickets(List<LocalWaiter> batch, boolean last) {
        List<KvOp> operations = TicketWriter.operations(key, batch, key.sessions.lockSession());
        return last
                ? operations
                : operations.stream()
                        .filter(each -> !(each instanceof KvOp.GetTree))
                        .toList();
    }
}
