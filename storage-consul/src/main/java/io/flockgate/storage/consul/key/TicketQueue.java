package io.flockgate.storage.consul.key;

import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.PendingGrant;
import io.flockgate.consul.format.QueuedTicket;
import io.flockgate.consul.format.TicketMark;
import io.flockgate.consul.format.Transactions;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.KvEntry;
import io.flockgate.consul.kv.KvOp;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.session.Sessions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Puts the waiters of this gateway into the queue of one key, and takes them out. For the key's own
 * thread only.
 */
final class TicketQueue {
    private static final int MAX_TRIES = 8;
    private static final long OWN_RUN_MILLIS = 10;
    private static final long OWN_LAST_MILLIS = 2;
    private static final int MAX_DELETED = 1_000;

    /**
     * The time for which a view may still show a deleted ticket. If a later view shows it, a
     * snapshot was restored.
     */
    private static final long SHOWN_LATE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Environment environment;
    private final KeyStore store;
    private final TicketRides rides;
    private final LocalWaiters waiters;
    private final GrantMaker grants;
    private final WaiterGrants waiterGrants;
    private final SlotHandover handover;
    private final Transactions transactions;
    private final Sessions sessions;
    private final TicketNames names;
    private final GatewaySettings settings;
    private final ReadPace pace;

    private final Map<String, Deleted> deleted = new HashMap<>();
    private boolean deleteLater;

    /**
     * A ticket that this gateway has deleted.
     *
     * @param createIndex differs from that of a ticket of the same name that a late write may make
     */
    private record Deleted(long createIndex, long at) {}

    TicketQueue(
            KeyContext context,
            TicketRides rides,
            GrantMaker grants,
            WaiterGrants waiterGrants,
            SlotHandover handover) {
        this.environment = context.environment;
        this.store = context.store;
        this.rides = rides;
        this.waiters = context.waiters;
        this.grants = grants;
        this.waiterGrants = waiterGrants;
        this.handover = handover;
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
     * #notJoined} or {@link #reject} has to be called on the key's own thread.
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
     * Removes a waiter that has no ticket. If its ticket appears later, {@link #tidy} deletes it.
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
            delete(name, deadline);
            KeyView view = store.last();
            if (offer != null && view != null && view.slotOf(offer.nonce()).isPresent()) {
                boolean unused = handover.free(now -> now.slotOf(offer.nonce()), deadline);
            }
        } catch (ConsulException e) {
            // Nobody grants this ticket a slot any more: its offer is withdrawn. So it can be deleted later.
            deleteLater = true;
        }
    }

    /**
     * Whether a ticket may have to be deleted soon, or when Consul answers again. Clears this
     * state.
     */
    boolean mustDeleteLater() {
        boolean left = deleteLater;
        deleteLater = false;
        return left;
    }

    /**
     * Writes new tickets for the waiters that have lost theirs, many in a transaction. They go to
     * the end of the queue, in their order.
     */
    KeyView rejoin(KeyView view, long deadline) {
        List<LocalWaiter> missing = waiters.queued().stream()
                .filter(waiter -> waiter.isMissingFrom(view))
                .toList();
        KeyView now = view;
        for (int from = 0; from < missing.size(); from += Transactions.MAX_TICKETS) {
            int to = Math.min(missing.size(), from + Transactions.MAX_TICKETS);
            now = rejoin(missing.subList(from, to), missing.subList(to, missing.size()), now, deadline);
        }
        return now;
    }

    /**
     * @param behind the waiters that get their tickets after these
     */
    private KeyView rejoin(List<LocalWaiter> some, List<LocalWaiter> behind, KeyView view, long deadline) {
        List<LocalWaiter> batch = some.stream()
                .filter(waiter -> waiter.isMissingFrom(view) && waiterGrants.remove(waiter))
                .toList();
        if (batch.isEmpty()) {
            return view;
        }
        boolean done = false;
        try {
            if (environment.now() - deadline < 0) {
                done = rejoin(batch, behind.isEmpty(), deadline);
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
    private boolean rejoin(List<LocalWaiter> batch, boolean last, long deadline) {
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

    private void delete(String name, long deadline) {
        KeyView view = store.last();
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            if (view == null || view.ticketOrRemoved(name).isEmpty()) {
                view = store.read(deadline);
            }
            QueuedTicket ticket = view.ticketOrRemoved(name).orElse(null);
            if (ticket == null || delete(ticket, deadline)) {
                return;
            }
            view = null;
        }
    }

    /** Deletes a ticket. False when it has changed. */
    private boolean delete(QueuedTicket ticket, long deadline) {
        WriteOutcome outcome = store.write(
                transactions.dequeue(ticket),
                after -> after.entry(ticket.entry().key()) == null,
                deadline);
        if (!(outcome instanceof WriteOutcome.Done)) {
            return false;
        }
        if (deleted.size() >= MAX_DELETED) {
            deleted.clear();
        }
        deleted.put(ticket.name(), new Deleted(ticket.entry().createIndex(), environment.now()));
        return true;
    }

    /** Deletes the tickets of this process that belong to no waiter. */
    void tidy(KeyView view, long deadline) {
        view.queue().forEach(ticket -> tidy(ticket, deadline));
        view.removed().forEach(ticket -> tidy(ticket, deadline));
        deleteEnded(view, deadline);
    }

    private void tidy(QueuedTicket ticket, long deadline) {
        if (isMine(ticket) && !waiters.has(ticket.name())) {
            // After a restored snapshot no further change may show the ticket, so the key is read again soon.
            deleteLater |= isShownLate(ticket) || !delete(ticket, deadline);
        }
    }

    /**
     * Deletes the tickets of this process whose session has ended. Its waiters get new ones. At a
     * mapped prefix one gateway also deletes what dead gateways have left, because no sweep does so
     * there.
     */
    private void deleteEnded(KeyView view, long deadline) {
        List<KvEntry> ended = new ArrayList<>();
        boolean tidies = tidiesForOthers(view);
        for (QueuedTicket ticket : view.endedTickets()) {
            if (isMine(ticket) ? !waiters.has(ticket.name()) : tidies) {
                ended.add(ticket.entry());
            }
        }
        if (tidies) {
            ended.addAll(view.endedLeftOver());
        }
        for (int from = 0; from < ended.size(); from += Transactions.MAX_DELETED) {
            List<KvEntry> some = ended.subList(from, Math.min(ended.size(), from + Transactions.MAX_DELETED));
            WriteOutcome unused = store.write(
                    transactions.delete(some),
                    after -> some.stream().allMatch(each -> after.entry(each.key()) == null),
                    deadline);
        }
    }

    /**
     * Whether this gateway deletes for dead ones: the gateway of the head, or that of the oldest
     * slot if nobody waits.
     */
    private boolean tidiesForOthers(KeyView view) {
        if (!store.path().mapped()) {
            return false;
        }
        return view.head()
                .map(this::isMine)
                .orElseGet(() -> view.slots().stream()
                        .findFirst()
                        .filter(each -> settings.isMine(each.mark()))
                        .isPresent());
    }

    /**
     * The milliseconds in which no other gateway hands the lock to this one: this gateway has it,
     * and needs a write to pass it on. It needs more of them if it passes the lock on to a waiter
     * of its own.
     */
    long undisturbedMillis() {
        KeyView last = store.last();
        boolean holds = last != null
                && store.isQuickLock()
                && last.slots().stream().anyMatch(slot -> settings.isMine(slot.mark()));
        if (last == null || !holds) {
            return 0;
        }
        return last.head().filter(this::isMine).isPresent() ? OWN_RUN_MILLIS : OWN_LAST_MILLIS;
    }

    boolean isMine(QueuedTicket ticket) {
        return settings.isMine(ticket.mark().gateway());
    }

    private boolean isShownLate(QueuedTicket ticket) {
        Deleted gone = deleted.get(ticket.name());
        return gone != null
                && gone.createIndex() == ticket.entry().createIndex()
                && environment.now() - gone.at() < SHOWN_LATE_NANOS;
    }

    /** Forgets deleted tickets, because the key's indexes have started again. */
    void indexesRestarted() {
        waiters.queued().forEach(LocalWaiter::indexesRestarted);
        deleted.clear();
    }
}
