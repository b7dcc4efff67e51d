package io.flockgate.storage.consul.key;

import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.PendingGrant;
import io.flockgate.consul.format.TicketMark;
import io.flockgate.consul.format.Transactions;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.KvOp;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.session.Sessions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * Puts the waiters of this gateway into the queue of one key, and takes them out. For the key's own
 * thread only.
 *
 * <ol>
 *   <li>{@link #join} makes an offer if possible, and has the ticket written with it. Until then
 *       the waiter counts as enqueuing.
 *   <li>When the ticket is written, {@link #joined} queues the waiter, or {@link #reject} removes
 *       it with its ticket. Without a ticket {@link #notJoined} removes it.
 *   <li>{@link #rejoin} writes new tickets for queued waiters whose tickets have gone, many in a
 *       transaction. They go to the end of the queue, in their order.
 *   <li>{@link #leave} removes a waiter, withdraws its offer, and deletes its ticket. If another
 *       gateway has made the offered grant meanwhile, its slot is freed.
 * </ol>
 */
final class TicketQueue {
    private final Environment environment;
    private final KeyStore store;
    private final TicketRides rides;
    private final LocalWaiters waiters;
    private final GrantMaker grants;
    private final WaiterGrants waiterGrants;
    private final SlotHandover handover;
    private final TicketDeletions deletions;
    private final Transactions transactions;
    private final Sessions sessions;
    private final TicketNames names;
    private final GatewaySettings settings;
    private final ReadPace pace;

    TicketQueue(
            KeyContext context,
            TicketRides rides,
            GrantMaker grants,
            WaiterGrants waiterGrants,
            SlotHandover handover,
            TicketDeletions deletions) {
        this.environment = context.environment;
        this.store = context.store;
        this.rides = rides;
        this.waiters = context.waiters;
        this.grants = grants;
        this.waiterGrants = waiterGrants;
        this.handover = handover;
        this.deletions = deletions;
        this.transactions = context.transactions;
        this.sessions = context.sessions;
        this.names = context.shared.names;
        this.settings = context.settings;
        this.pace = context.shared.pace;
    }

    /** A waiter that has no ticket yet. */
    LocalWaiter waiter(Claim claim, Claimant claimant) {
        return new LocalWaiter(
                claim, claimant, grants.client(claimant), names.next(), environment.now(), pace.actMillis());
    }

    /**
     * Begins to write a waiter's ticket. When the listener has been called, {@link #joined}, {@link
     * #notJoined} or {@link #reject} must be called on the key's own thread.
     */
    void join(LocalWaiter waiter, long deadline, TicketWriter.TicketListener listener) {
        waiter.offer(offer(waiter));
        waiters.addEnqueuing(waiter);
        rides.add(new TicketWriter.NewTicket(waiter, settings.process(), deadline, listener));
    }

    private @Nullable PendingGrant offer(LocalWaiter waiter) {
        return grants.offer(store.last(), waiter.claim(), waiter.claimant().isDetached());
    }

    /**
     * Queues a waiter whose ticket is written. If another gateway has granted it a slot already,
     * the next view shows that.
     */
    void joined(LocalWaiter waiter, WriteOutcome.Done done) {
        waiters.removeEnqueuing(waiter);
        waiter.queued(done);
        waiters.addQueued(waiter);
    }

    /**
     * Removes a waiter that has no ticket. If its ticket appears later, {@link TicketDeletions}
     * deletes it.
     */
    void notJoined(LocalWaiter waiter) {
        waiters.removeEnqueuing(waiter);
        withdrawOffer(waiter);
    }

    /** Removes a waiter whose claim is refused, and deletes its ticket. */
    void reject(LocalWaiter waiter, long deadline) {
        PendingGrant offer = waiter.offer();
        notJoined(waiter);
        deleteAndFree(waiter.name(), offer, deadline);
    }

    private void withdrawOffer(LocalWaiter waiter) {
        grants.withdraw(waiter.offer());
        waiter.offer(null);
    }

    /** Gives up a waiter's place. */
    LeaveOutcome leave(LocalWaiter waiter, long deadline) {
        KeyView view = store.last();
        if (view != null) {
            waiterGrants.applySafe(view);
        }
        PendingGrant offer = waiter.offer();
        if (!waiterGrants.remove(waiter)) {
            return LeaveOutcome.GRANTED;
        }
        deleteAndFree(waiter.name(), offer, deadline);
        return LeaveOutcome.LEFT;
    }

    /** Deletes a ticket, and frees the slot that another gateway may have granted by its offer. */
    private void deleteAndFree(String name, @Nullable PendingGrant offer, long deadline) {
        try {
            deletions.delete(name, deadline);
            KeyView view = store.last();
            if (offer != null && view != null && view.slotOf(offer.nonce()).isPresent()) {
                boolean unused = handover.free(now -> now.slotOf(offer.nonce()), deadline);
            }
        } catch (ConsulException e) {
            // The offer is withdrawn, so the ticket gets no slot and can be deleted later.
            deletions.repeatSoon();
        }
    }

    /** Writes new tickets for the waiters that have lost theirs. Returns the view to go on with. */
    KeyView rejoin(KeyView view, long deadline) {
        List<LocalWaiter> missing = waiters.queued().stream()
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
                .filter(waiter -> waiter.isMissingFrom(view) && waiterGrants.remove(waiter))
                .toList();
        if (batch.isEmpty()) {
            return view;
        }
        boolean done = false;
        try {
            if (environment.now() - deadline < 0) {
                done = writeNewTickets(batch, behind.isEmpty(), deadline);
            }
        } finally {
            batch.forEach(waiters::addQueued);
            if (!done) {
                batch.forEach(this::withdrawOffer);
                waiters.requeue(behind);
            }
        }
        if (!done) {
            throw TicketWriter.notTaken();
        }
        KeyView now = store.lastOr(view);
        // Before the same view decides about other waiters.
        waiterGrants.applyRemote(now);
        return now;
    }

    /** Writes new tickets. False when Consul has refused them. */
    private boolean writeNewTickets(List<LocalWaiter> batch, boolean last, long deadline) {
        for (LocalWaiter waiter : batch) {
            waiter.name(names.next());
            waiter.offer(offer(waiter));
        }
        WriteOutcome outcome = store.write(
                tickets(batch, last), after -> batch.stream().anyMatch(each -> each.isSeenIn(after)), deadline);
        if (outcome instanceof WriteOutcome.Done done) {
            batch.forEach(waiter -> waiter.queued(done));
            return true;
        }
        return false;
    }

    /**
     * The operations that make tickets. Only the last of several transactions reads the queue,
     * because it may be long.
     */
    private List<KvOp> tickets(List<LocalWaiter> batch, boolean last) {
        String session = sessions.lockSession();
        SequencedMap<String, TicketMark> tickets = new LinkedHashMap<>();
        batch.forEach(waiter -> tickets.put(waiter.name(), waiter.mark(settings.process(), session)));
        List<KvOp> operations = transactions.enqueueAndRead(store.path(), tickets, session);
        return last
                ? operations
                : operations.stream()
                        .filter(each -> !(each instanceof KvOp.GetTree))
                        .toList();
    }
}
