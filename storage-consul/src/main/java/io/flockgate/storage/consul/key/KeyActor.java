package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration.EvictOutcome;
import io.flockgate.storage.KeyAdministration.LimitOutcome;
import io.flockgate.storage.KeyAdministration.RemoveOutcome;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.Token;
import io.flockgate.storage.consul.environment.Environment.Timer;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.Transactions;
import io.flockgate.storage.consul.kv.ConsulException;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The actor of one key on this gateway. It accepts calls, timers and reads from any thread, and
 * handles them one at a time on a thread that may block. Thread safe.
 *
 * <p>A claim:
 *
 * <ol>
 *   <li>{@link #claim} queues a task. The task ends expired leases, and then lets {@link KeyClaims}
 *       decide the claim.
 *   <li>If the claim gets a ticket, {@link TicketWriter} writes it on another thread. Its result
 *       comes back as an urgent task, which answers the claim.
 *   <li>When no task is left, {@link TicketQueue} writes new tickets for waiters that have lost
 *       theirs. Then {@link SlotScheduler} grants free slots to waiters, and evicts waiters and
 *       holders of dead gateways.
 * </ol>
 *
 * <p>The view is the last state of the key that this gateway has read. While a claim waits, a watch
 * reads the key after each change, and each new view is compared with the grants and waiters of
 * this gateway. A key is unsettled after a write with an unknown result, or after a failed call; a
 * timer then reads the key again.
 *
 * <p>Urgent tasks, such as releases and reads, run before claims that have not begun, because a
 * waiter may need their result.
 */
public final class KeyActor {
    private static final Logger LOG = LoggerFactory.getLogger(KeyActor.class);

    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** The longest pause before an unsettled key is read again. The shortest is a tenth of it. */
    private static final long UNSETTLED_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LocalKey key;
    private final CallRunner calls;
    private final SlotScheduler slots;
    private final TicketQueue tickets;
    private final GrantKeeper keeper;
    private final KeyClaims claims;
    private final OperatorCalls operator;
    private final KeyWatch watch;
    private final Consumer<KeyActor> retired;

    /** The waiters that leave, until the key's thread is free. */
    private final Queue<Departing> departing = new ConcurrentLinkedQueue<>();

    private final Runnable leaveSome = this::leaveTogether;
    private Timer timer = () -> {};
    private volatile boolean busy;

    private record Departing(LocalWaiter waiter, Promise<LeaveOutcome> answer) {}

    /**
     * @param retired called once, when this actor accepts no further calls
     */
    KeyActor(LocalKey key, Consumer<KeyActor> retired) {
        this.key = key;
        this.retired = retired;
        this.calls = new CallRunner(key, this::afterLastTask);
        GrantMaker maker = new GrantMaker(key);
        SlotHandover handover = new SlotHandover(key, maker);
        Evictor evictor = new Evictor(key, handover);
        TicketDeletions deletions = new TicketDeletions(key, calls);
        GrantComparison comparison = new GrantComparison(key, maker, handover);
        this.slots = new SlotScheduler(key, maker, evictor);
        this.tickets = new TicketQueue(key, maker, deletions);
        this.keeper = new GrantKeeper(key, maker, handover, comparison);
        this.claims = new KeyClaims(key, calls, maker, evictor, tickets);
        this.operator = new OperatorCalls(key, maker, handover, tickets);
        this.watch = new KeyWatch(key, calls, deletions, comparison);
    }

    Key key() {
        return key.name;
    }

    /** The time at which this gateway last used the key. */
    long lastActivity() {
        return key.lastUse();
    }

    /** Whether this gateway has a grant or a waiter of the key. */
    boolean isBusy() {
        return busy;
    }

    /**
     * Begins a claim. Like the other calls, it returns false if this actor has retired; the key
     * then needs another actor.
     */
    public boolean claim(Claim claim, Claimant claimant, Promise<ClaimOutcome> answer) {
        return calls.execute(task(answer, until -> {
            keeper.expireDue(until);
            return claims.claim(claim, claimant, answer, until);
        }));
    }

    private <T> Runnable task(Promise<T> answer, LongFunction<@Nullable T> action) {
        long deadline = calls.deadline();
        return () -> calls.call(answer, deadline, action);
    }

    /** Notes that a call with this outcome, but no other, has used the key. */
    private <T extends Enum<T>> T used(T used, T outcome) {
        if (outcome == used) {
            key.touch();
        }
        return outcome;
    }

    /**
     * Gives up a place. The ticket must be from this storage. Waiters that leave while the key's
     * thread is busy leave together, so that many disconnects do not need one transaction each.
     */
    public boolean leave(Ticket ticket, Promise<LeaveOutcome> answer) {
        Departing leaving = new Departing((LocalWaiter) ticket, answer);
        departing.add(leaving);
        // An earlier task may have taken it, just before this actor retired.
        return calls.execute(leaveSome) || !departing.remove(leaving);
    }

    private void leaveTogether() {
        List<Departing> leaving = new ArrayList<>();
        Departing next = departing.poll();
        while (next != null) {
            leaving.add(next);
            // Urgent tasks run between two transactions. Each departure has a task of its own.
            next = leaving.size() < Transactions.MAX_DELETED ? departing.poll() : null;
        }
        if (leaving.isEmpty()) {
            return;
        }
        Promise<List<LeaveOutcome>> answers = Promise.promise();
        answers.future()
                .onSuccess(outcomes -> {
                    for (int i = 0; i < leaving.size(); i++) {
                        leaving.get(i).answer.tryComplete(outcomes.get(i));
                    }
                })
                .onFailure(cause -> leaving.forEach(each -> each.answer.tryFail(cause)));
        calls.answer(answers, () -> {
            key.touch();
            return tickets.leave(leaving.stream().map(Departing::waiter).toList(), calls.deadline());
        });
    }

    /** Releases a grant. Urgent, because a waiter may need the slot. */
    public boolean release(Token token, Promise<ReleaseOutcome> answer) {
        return calls.executeUrgently(
                task(answer, until -> used(ReleaseOutcome.RELEASED, keeper.release(token, until))));
    }

    /** Restarts the lease of a grant. */
    public boolean renew(Token token, long leaseSeconds, Promise<RenewOutcome> answer) {
        return calls.execute(
                task(answer, until -> used(RenewOutcome.RENEWED, keeper.renew(token, leaseSeconds, until))));
    }

    /** Carries out an operator's order to free the slot with this fence. Urgent, like a release. */
    public boolean evict(long fence, boolean force, Promise<EvictOutcome> answer) {
        return calls.executeUrgently(task(answer, until -> {
            keeper.expireDue(until);
            return used(EvictOutcome.EVICTED, operator.evict(fence, force, until));
        }));
    }

    /** Carries out an operator's order to remove a waiter from the queue. */
    public boolean removeWaiter(String waiter, Promise<RemoveOutcome> answer) {
        return calls.execute(task(answer, until -> operator.remove(waiter, until)));
    }

    /** Carries out an operator's order to change the limit of the semaphore. */
    public boolean setLimit(long limit, Promise<LimitOutcome> answer) {
        return calls.execute(task(answer, until -> {
            keeper.expireDue(until);
            LimitOutcome outcome = operator.setLimit(limit, until);
            schedule(until);
            return outcome;
        }));
    }

    /** Receives a read by a watch. It replaces an older read that is still pending. */
    void received(PendingRead.Read read) {
        watch.received(read);
    }

    /**
     * Ends all grants under these sessions at once. May be called on any thread, because the key's
     * own thread may be waiting for Consul.
     */
    void sessionsLost(Set<String> sessions) {
        keeper.lost(sessions);
        boolean unused = calls.execute(() -> calls.unsettleIf(!key.waiters.isEmpty()));
    }

    /** Retires if it has been idle for long enough. The key stays in Consul. */
    void retireIfIdle() {
        if (!busy && isIdle()) {
            boolean unused = calls.execute(() -> {
                if (!calls.isClosed() && isIdle()) {
                    retireIfUnused(true);
                }
            });
        }
    }

    private boolean isIdle() {
        return key.now() - key.lastUse() > key.settings.idle().toNanos();
    }

    private void retireIfUnused(boolean idle) {
        KeyView view = key.store.last();
        boolean gone = idle || view == null || !view.exists();
        if (gone && key.isUnused() && !key.watched && calls.isSettled() && calls.end()) {
            timer.cancel();
            retired.accept(this);
        }
    }

    private void afterLastTask() {
        if (calls.isClosed()) {
            return;
        }
        if (!key.isUnused()) {
            calls.attempt(until -> {
                keeper.expireDue(until);
                schedule(until);
            });
        }
        boolean unused = key.isUnused();
        if (busy && unused) {
            // The end of a lease counts as a use too, although no call caused it.
            key.touch();
        }
        busy = !unused;
        watch.keep();
        setTimer();
        retireIfUnused(false);
    }

    private void schedule(long deadline) {
        key.clearDue();
        if (key.waiters.hasQueued()) {
            KeyView last = key.store.last();
            KeyView view = last == null ? key.store.read(deadline) : last;
            key.waiters.applyRemovals(view);
            slots.schedule(tickets.rejoin(view, deadline), deadline);
        }
    }

    private void tick() {
        boolean unused = calls.execute(() -> calls.settle(this::settle));
    }

    private void settle(long deadline) {
        KeyView unused = key.store.read(deadline);
        watch.compareWithLastView(deadline);
    }

    private void setTimer() {
        timer.cancel();
        long due = Math.min(key.grants.nextDue(key.now()), Math.min(key.due(), watch.due()));
        if (!calls.isSettled()) {
            due = Math.clamp(due, UNSETTLED_NANOS / 10, UNSETTLED_NANOS);
        }
        timer = due == Long.MAX_VALUE ? () -> {} : key.environment.after(Math.max(0, due), this::tick);
    }

    /**
     * Ends all grants of this gateway that are not detached. Pending calls fail, because the
     * storage is closed.
     */
    void close(Promise<Void> done) {
        calls.close();
        boolean open = calls.execute(() -> {
            try {
                timer.cancel();
                watch.stop();
                key.waiters.clear();
                keeper.close(key.now() + CLOSE_NANOS);
            } catch (ConsulException e) {
                LOG.atDebug().addKeyValue("key", key.name).log("the key's slots become free when their session ends");
            } finally {
                done.complete();
            }
        });
        if (!open) {
            done.complete();
        }
    }
}
