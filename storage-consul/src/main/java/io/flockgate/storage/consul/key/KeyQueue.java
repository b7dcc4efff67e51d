package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.KvOp;
import io.flockgate.storage.consul.layout.KeyView;
import io.flockgate.storage.consul.layout.Offer;
import io.flockgate.storage.consul.layout.QueuedTicket;
import io.flockgate.storage.consul.layout.Slot;
import io.flockgate.storage.consul.layout.TicketMark;
import io.flockgate.storage.consul.layout.Transactions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The waiters of one key: those of this gateway, and what it does about those of others. For the key's own thread only. */
final class KeyQueue {
    /** A head that does not take a free slot for so long has died. Those that live show it in half the time. */
    static final long DEAD_HEAD_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long TRY_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int TRIES = 8;

    private final Node node;
    private final KeyStore store;
    private final Map<String, LocalWaiter> waiters = new LinkedHashMap<>();

    private final LifeSigns lives = new LifeSigns();
    private final Offers offers;
    private final TicketWriter ticketWriter;
    private final ReturnedTickets returned;
    private @Nullable KeyGrants grants;
    private @Nullable DeadGateways dead;
    private long due = Long.MAX_VALUE;
    private boolean leftBehind;

    KeyQueue(Node node, KeyStore store) {
        this.node = node;
        this.store = store;
        this.offers = new Offers(node);
        this.ticketWriter = new TicketWriter(node, store.path());
        this.returned = new ReturnedTickets(node, store);
    }

    /** To be told once, before anything else. */
    void grants(KeyGrants those) {
        grants = those;
        dead = new DeadGateways(node, store, those);
    }

    private KeyGrants grants() {
        KeyGrants those = grants;
        if (those == null) {
            throw new IllegalStateException("not told of the grants yet");
        }
        return those;
    }

    /** Whether nobody of this gateway waits, or is about to. */
    boolean isEmpty() {
        return waiters.isEmpty() && ticketWriter.isEmpty();
    }

    /** How many claims are about to take their places. */
    int entering() {
        return ticketWriter.size();
    }

    LocalWaiter waiter(Claim claim, Claimant claimant) {
        return new LocalWaiter(claim, claimant, node.nextTicket(), node.now());
    }

    /**
     * Begins to take a place at the end of the queue.
     *
     * @param then told what became of it, on another thread; {@link #entered} or {@link #notEntered} is to be called next
     * @throws ConsulException when it cannot be begun
     */
    void enter(LocalWaiter waiter, long deadline, Consumer<TicketWriter.Entry> then) {
        TicketMark mark = mark(waiter);
        ticketWriter.enter(waiter, () -> ticket(waiter, mark), deadline, then);
    }

    /** What makes a ticket, under the session of the moment. From any thread. */
    private List<KvOp> ticket(LocalWaiter waiter, TicketMark mark) {
        return node.transactions()
                .enqueue(store.path(), waiter.name(), mark, node.sessions().own());
    }

    private TicketMark mark(LocalWaiter waiter) {
        Claim claim = waiter.claim();
        Candidate candidate = offers.make(store.seen(), claim, waiter.claimant());
        waiter.offer(candidate);
        Offer offer = candidate == null
                ? null
                : Offer.of(candidate.session(), candidate.grantee().mark());
        return new TicketMark(node.settings().process(), claim.kind(), claim.limit(), 0, offer);
    }

    /** Its ticket is there. A slot that another gateway has given it already is taken in with the next view. */
    void entered(LocalWaiter waiter, WriteOutcome.Done done) {
        ticketWriter.left(waiter);
        waiter.queued(done);
        waiters.put(waiter.name(), waiter);
        node.localIndex().add(waiter);
    }

    /** It has no ticket; one that appears later is taken back. */
    void notEntered(LocalWaiter waiter) {
        ticketWriter.left(waiter);
        withdrawOffer(waiter);
    }

    /** It has a ticket, and is to have no place: it has not been told of one. */
    void turnAway(LocalWaiter waiter, long deadline) {
        Candidate offer = waiter.offer();
        notEntered(waiter);
        takeBack(waiter.name(), offer, deadline);
    }

    private void withdrawOffer(LocalWaiter waiter) {
        offers.withdrawn(waiter.offer());
        waiter.offer(null);
    }

    /** Whether the grant with this nonce is one that a ticket on its way offers. */
    boolean isOnItsWay(String nonce) {
        return ticketWriter.offers(nonce);
    }

    /** Indexes have begun anew. */
    void indexesRestarted() {
        waiters.values().forEach(LocalWaiter::indexesRestarted);
        returned.indexesRestarted();
        if (dead != null) {
            dead.indexesRestarted();
        }
    }

    /** Takes in the slots that others have given to waiters of this gateway. Before all else that is done about a view. */
    void takeGrants(@Nullable KeyView view) {
        if (view == null) {
            return;
        }
        lives.look(view, node.now());
        for (LocalWaiter waiter : List.copyOf(waiters.values())) {
            Candidate offer = waiter.offer();
            if (offer != null && view.slotOf(offer.nonce()).isPresent()) {
                // Nobody looks after such a lease: it may begin with the news.
                WriteOutcome.Done done = new WriteOutcome.Done(view, node.now(), waiter.seenBefore());
                offers.taken(offer);
                waiter.offer(null);
                LocalGrant grant = grants().made(offer, done);
                if (grant != null && remove(waiter)) {
                    waiter.claimant().granted(waiter, grant);
                }
            }
        }
    }

    /** The grant that the head has offered, if its gateway lives and it could have a slot once this one is freed. */
    @Nullable
    Remote remoteAfter(KeyView view, Slot freed) {
        QueuedTicket head = view.head().orElse(null);
        Transactions.Grantee grantee = head == null ? null : head.mark().offered();
        boolean room = grantee != null && view.slots().size() - 1 < grantee.limit();
        return head != null
                        && grantee != null
                        && room
                        && !node.settings().isMine(head.mark().gateway())
                        && lives.hasLived(head.mark().gateway(), DEAD_HEAD_NANOS, node.now())
                ? new Remote(head, grantee)
                : null;
    }

    /** The head of a queue that waits at another gateway, and the grant to it. */
    record Remote(QueuedTicket ticket, Transactions.Grantee grantee) {}

    /** Gives up a place. */
    LeaveOutcome leave(LocalWaiter waiter, long deadline) {
        takeGrants(store.seen());
        Candidate offer = waiter.offer();
        if (!remove(waiter)) {
            return LeaveOutcome.GRANTED;
        }
        takeBack(waiter.name(), offer, deadline);
        return LeaveOutcome.LEFT;
    }

    /** Takes back a ticket, and what another gateway has made of its offer. */
    private void takeBack(String name, @Nullable Candidate offer, long deadline) {
        try {
            returned.takeBack(name, deadline);
            KeyView view = store.seen();
            if (offer != null && view != null && view.slotOf(offer.nonce()).isPresent()) {
                boolean unused = grants().free(now -> now.slotOf(offer.nonce()), deadline);
            }
        } catch (ConsulException e) {
            // Nobody else grants it.
            leftBehind = true;
        }
    }

    /** Whether a ticket stands that should be taken back when Consul answers again. Asked once. */
    boolean hasLeftBehind() {
        boolean left = leftBehind;
        leftBehind = false;
        return left;
    }

    private boolean remove(LocalWaiter waiter) {
        node.localIndex().remove(waiter);
        boolean removed = waiters.remove(waiter.name(), waiter);
        if (removed) {
            withdrawOffer(waiter);
        }
        return removed;
    }

    /**
     * The head, if it waits here and could have a slot once this one is freed; null otherwise.
     *
     * @throws ConsulException when there is no session to give it
     */
    @Nullable
    Promotion nextAfter(KeyView view, @Nullable Slot freed) {
        QueuedTicket head = view.head().orElse(null);
        LocalWaiter waiter = head == null ? null : waiters.get(head.name());
        if (head == null || waiter == null || !ClaimRules.hasRoom(view, waiter.claim(), freed)) {
            return null;
        }
        return new Promotion(head, waiter, candidate(view, waiter.claim(), waiter.claimant()));
    }

    /** The same, but null when there is no session to give it either. */
    @Nullable
    Promotion nextIfPossible(KeyView view, Slot freed) {
        try {
            return nextAfter(view, freed);
        } catch (ConsulException e) {
            return null;
        }
    }

    /** A grant to try, with a session that is not, and was not, a holder of this key. */
    Candidate candidate(KeyView view, Claim claim, Claimant claimant) {
        node.fences().requireRising();
        String session = claim.kind() == Kind.LOCK
                ? node.sessions().own()
                : node.sessions().takeHolder(id -> offers.isFree(view, id));
        return Candidate.of(
                claim, claimant, session, node.settings(), node.environment().random());
    }

    /** A waiter has been given its slot. */
    void promoted(Promotion promotion, WriteOutcome.Done done) {
        LocalGrant grant = grants().made(promotion.candidate(), done);
        if (grant == null) {
            // Its ticket is gone, or will be; it queues again.
            return;
        }
        LocalWaiter waiter = promotion.waiter();
        if (remove(waiter)) {
            waiter.claimant().granted(waiter, grant);
        }
    }

    /** Does whatever is to be done for those that wait here. */
    void advance(long deadline) {
        due = Long.MAX_VALUE;
        if (waiters.isEmpty()) {
            return;
        }
        KeyView view = store.seen();
        if (view == null) {
            view = store.read(deadline);
        }
        takeGrants(view);
        view = promoteAll(joinAgain(view, deadline), deadline);
        if (dead != null) {
            dueIn(dead.look(view, deadline));
        }
    }

    /** Those that have lost their place take a new one, at the end. */
    private KeyView joinAgain(KeyView view, long deadline) {
        KeyView now = view;
        for (LocalWaiter waiter : List.copyOf(waiters.values())) {
            if (waiter.isMissingFrom(now) && remove(waiter)) {
                waiter.name(node.nextTicket());
                joinAgain(waiter, deadline);
                now = seen(now);
                // Before another is judged by the same view.
                takeGrants(now);
            }
        }
        return now;
    }

    private void joinAgain(LocalWaiter waiter, long deadline) {
        WriteOutcome written = null;
        try {
            written = store.write(ticket(waiter, mark(waiter)), waiter::isSeenIn, deadline);
        } finally {
            if (written instanceof WriteOutcome.Done done) {
                waiter.queued(done);
            } else {
                withdrawOffer(waiter);
            }
            waiters.put(waiter.name(), waiter);
            node.localIndex().add(waiter);
        }
        if (!(written instanceof WriteOutcome.Done)) {
            throw TicketWriter.sessionEnded();
        }
    }

    private KeyView seen(KeyView otherwise) {
        KeyView view = store.seen();
        return view == null ? otherwise : view;
    }

    private KeyView promoteAll(KeyView first, long deadline) {
        KeyView view = first;
        for (int tries = 0; tries < TRIES; ) {
            Promotion next;
            try {
                next = nextAfter(view, null);
            } catch (ConsulException e) {
                // It lives, and is tried again.
                return touch(view, deadline);
            }
            if (next == null) {
                return view;
            }
            WriteOutcome written = promote(view, next, deadline);
            if (written instanceof WriteOutcome.Done done) {
                promoted(next, done);
                view = seen(view);
                continue;
            }
            if (written instanceof WriteOutcome.Refused refused && refused.byLockDelay()) {
                return touch(store.read(deadline), deadline);
            }
            tries++;
            view = store.lookAfterConflict(tries, deadline);
            takeGrants(view);
        }
        dueIn(TRY_AGAIN_NANOS);
        return touch(view, deadline);
    }

    private WriteOutcome promote(KeyView view, Promotion next, long deadline) {
        Candidate candidate = next.candidate();
        return grants().write(
                        node.transactions().promote(view, next.ticket(), candidate.grantee()),
                        candidate,
                        after -> after.slotOf(candidate.nonce()).isPresent(),
                        deadline);
    }

    /** Shows the others that the head lives, although it cannot take its slot now. */
    private KeyView touch(KeyView view, long deadline) {
        dueIn(DEAD_HEAD_NANOS / 2);
        QueuedTicket head = view.head().orElse(null);
        if (head != null && waiters.containsKey(head.name())) {
            long touched = head.mark().touches() + 1;
            WriteOutcome unused = store.write(
                    node.transactions().touch(head),
                    after -> after.ticket(head.name())
                            .filter(now -> now.mark().touches() == touched)
                            .isPresent(),
                    deadline);
        }
        return seen(view);
    }

    private void dueIn(long nanos) {
        due = Math.min(due, nanos);
    }

    /** Takes back the tickets of this process that nobody waits for any more. */
    void tidy(KeyView view, long deadline) {
        returned.tidy(view, name -> waiters.containsKey(name) || ticketWriter.has(name), deadline);
    }

    /** After how many nanoseconds something is to be done that no change of the key will tell. */
    long nextDue() {
        return due;
    }

    /** The gateway ends: nobody waits any more. */
    void close() {
        waiters.values().forEach(node.localIndex()::remove);
        waiters.clear();
        ticketWriter.close();
    }
}
