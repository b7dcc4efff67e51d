package io.flockgate.client.consul;

import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.concurrent.Backoff;
import io.flockgate.client.concurrent.Pauses;
import io.flockgate.client.consul.Writer.Written;
import io.flockgate.consul.format.KeyPath;
import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.QueuedTicket;
import io.flockgate.consul.format.TicketMark;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.ConsulException.Effect;
import io.flockgate.consul.kv.KvEntry;
import io.flockgate.consul.kv.KvOp;
import io.flockgate.consul.kv.TxnOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The wait of one claim: first for its turn in this client, then in a key's queue, among the
 * waiters of gateways and other clients. For one thread.
 *
 * <ol>
 *   <li>Each step has its turn, so that a few claims are completed before the next ones begin. The
 *       time for its requests starts with the turn. Nothing is held while the claim waits for a
 *       change, and the session of its ticket is renewed without a turn.
 *   <li>Write a ticket. Its place is its CreateIndex. If it disappears, or its session ends, write
 *       another one.
 *   <li>At the head of the queue, take a free slot. If that must wait, for instance for Consul's
 *       lock delay, touch the ticket every second.
 *   <li>Otherwise free the slots of dead holders, and evict a dead head.
 *   <li>If nothing is to be done, wait for a change of the key, as {@link KeyPolls} sees it.
 *   <li>If an operator marks the ticket as removed, the wait ends.
 *   <li>While Consul does not answer, try again until the wait ends. Only this claim can turn its
 *       ticket into a grant, so an unanswered read leaves nothing unknown.
 * </ol>
 */
final class Queueing {
    private static final long LONGEST_WITHOUT_READ = TimeUnit.SECONDS.toNanos(10);
    private static final long TOUCH = TimeUnit.SECONDS.toNanos(1);
    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(50), Duration.ofSeconds(1));
    private static final long LEAST = TimeUnit.MILLISECONDS.toNanos(10);

    private final Parts parts;
    private final Claim claim;
    private final CompletableFuture<?> stop;
    private final long end;
    private @Nullable String ticket;
    private @Nullable KeyView view;
    private long readAt;
    private long actMillis = TicketMark.LEAST_ACT_MILLIS;
    private @Nullable ConsulException outage;
    private boolean removed;
    private int failures;

    /** The wait after a step, outside its turn; null if there is none. */
    private @Nullable Runnable pause;

    /**
     * A wait that has not begun.
     *
     * @param stop ends the wait when it completes
     * @param end the ticker's time at which the wait ends
     */
    Queueing(Parts parts, Claim claim, CompletableFuture<?> stop, long end) {
        this.parts = parts;
        this.claim = claim;
        this.stop = stop;
        this.end = end;
    }

    /**
     * Takes a slot without a ticket, as {@link Claim#takeFree} does, when the turn of the claim
     * comes. Returns null if none is free, or the wait was stopped.
     */
    @Nullable
    Granted takeFree(int tries) {
        long patience = claim.request().timeout().toNanos() / 2;
        if (!parts.claims().begin(false, end + patience - parts.nanos(), stop)) {
            if (stop.isDone()) {
                return null;
            }
            throw Errors.unavailable(Effect.NOT_DONE, "too many claims of this client wait for Consul");
        }
        try {
            return claim.takeFree(tries);
        } finally {
            parts.claims().end();
        }
    }

    /** Waits. Returns null if no slot was free for the claim by the end. */
    @Nullable
    Granted await() {
        while (!isOver()) {
            try {
                Granted granted = stepInTurn();
                if (granted != null) {
                    return granted;
                }
            } catch (ConsulException failed) {
                fail(failed);
                Pauses.sleep(BACKOFF.after(++failures), stop);
            }
        }
        leave();
        if (outage != null && !stop.isDone()) {
            throw outage;
        }
        return null;
    }

    /**
     * Waits after a failure that occurred before there was a ticket. If the wait has ended, the
     * failure is its result.
     */
    @Nullable
    Granted awaitAfter(ConsulException failed) {
        fail(failed);
        return await();
    }

    private boolean isOver() {
        return removed || stop.isDone() || end - parts.nanos() <= 0;
    }

    /** Rethrows the failure, unless the claim can continue because nothing is left unknown. */
    private void fail(ConsulException failed) {
        KeyView last = view;
        if (last != null) {
            claim.evictor().outage(last.path());
        }
        view = null;
        if (!failed.isOutage() || failed instanceof Errors.GrantUncertainException) {
            throw failed;
        }
        parts.log()
                .warn(() -> "lease " + claim.request().name() + ": the claim waits, and tries again: "
                        + failed.getMessage());
        outage = new ConsulException(failed.kind(), Effect.NOT_DONE, String.valueOf(failed.getMessage()), failed);
    }

    private @Nullable Granted stepInTurn() {
        ClaimSession session = claim.ticketSession();
        if (session.untilRenewal() <= 0) {
            session.renew(claim.deadline());
        }
        if (!parts.claims().begin(true, Math.min(session.untilRenewal(), end - parts.nanos()), stop)) {
            return null;
        }
        Granted granted;
        try {
            granted = step(claim.deadline());
        } finally {
            parts.claims().end();
        }
        if (granted == null) {
            Runnable after = pause;
            if (after != null) {
                after.run();
            }
            outage = null;
            failures = 0;
        }
        return granted;
    }

    private @Nullable Granted step(long deadline) {
        pause = null;
        Layout layout = parts.records().layout(deadline);
        KeyPath path = claim.path();
        if (ticket == null) {
            enqueue(layout, path, deadline);
        }
        KeyView watched = view;
        KeyView now = watched == null ? read(path, deadline) : watched;
        view = null;
        QueuedTicket mine = own(now);
        if (mine == null && watched != null) {
            // Any server may have answered it, with a state from before the ticket. The next read
            // goes to the leader.
            return null;
        }
        claim.requireFit(now);
        if (mine == null) {
            ticket = null;
            claim.ticketSession().renew(deadline);
            return null;
        }
        if (mine.mark().isRemoved()) {
            removed = true;
            return null;
        }
        return act(layout, now, mine, deadline);
    }

    private KeyView read(KeyPath path, long deadline) {
        KeyView read = parts.read(path, deadline);
        readAt = parts.nanos();
        return read;
    }

    private @Nullable QueuedTicket own(KeyView now) {
        return Optional.ofNullable(ticket)
                .flatMap(now::ticketOrRemoved)
                .filter(each -> claim.ticketSession().is(each.entry().session()))
                .orElse(null);
    }

    private @Nullable Granted act(Layout layout, KeyView now, QueuedTicket mine, long deadline) {
        long limit = claim.request().limit();
        boolean head = now.head()
                .filter(each -> each.entry().key().equals(mine.entry().key()))
                .isPresent();
        if (head && now.hasRoom(limit)) {
            Granted granted = claim.take(layout, now, mine, deadline);
            if (granted == null && claim.isDelayed()) {
                touch(layout, now, mine, deadline);
                pause = () ->
                        Pauses.sleep(Duration.ofNanos(Math.min(TOUCH, Math.max(LEAST, end - parts.nanos()))), stop);
            }
            return granted;
        }
        boolean changed = claim.evictor().freeDeadHolders(layout, now, deadline)
                || (!head && claim.evictor().evictDeadHead(layout, now, limit, deadline));
        if (!changed) {
            pause = () -> awaitChange(now, claim.evictor().nextDue(now, limit));
        }
        return null;
    }

    private void touch(Layout layout, KeyView now, QueuedTicket mine, long deadline) {
        Written unused = parts.writer()
                .write(layout, now.path(), layout.transactions().touch(mine), after -> OptionalLong.of(0), deadline);
    }

    private void enqueue(Layout layout, KeyPath path, long deadline) {
        String name = parts.newTicket();
        actMillis = parts.polls().actMillis();
        TicketMark mark = new TicketMark(
                        parts.process(), claim.kind(), claim.request().limit(), 0)
                .acting(actMillis)
                .of(parts.client().mark());
        try {
            Written written = parts.writer()
                    .write(
                            layout,
                            path,
                            layout.transactions()
                                    .enqueue(
                                            path,
                                            Map.of(name, mark),
                                            claim.ticketSession().get(deadline)),
                            now -> now.entry(path.ticket(name)) == null ? OptionalLong.empty() : OptionalLong.of(0),
                            deadline);
            if (written instanceof Written.Done) {
                ticket = name;
            } else {
                claim.ticketSession().renew(deadline);
            }
        } catch (ConsulException failed) {
            if (failed.mayBeDone()) {
                // The ticket may still be written. Without its session, it is not a place in the
                // queue.
                claim.ticketSession().end();
            }
            throw failed;
        }
    }

    private void awaitChange(KeyView now, long due) {
        long wait = Math.min(due, Math.min(claim.ticketSession().untilRenewal(), end - parts.nanos()));
        try {
            view = parts.await(now, true, actMillis, Math.max(LEAST, wait), stop);
        } catch (ConsulException failed) {
            if (!failed.isOutage() || !isOver()) {
                throw failed;
            }
        }
        if (parts.nanos() - readAt >= LONGEST_WITHOUT_READ) {
            view = null;
        }
    }

    /** Gives up the place. If Consul does not answer, the end of the session does so. */
    private void leave() {
        String last = ticket;
        if (last == null) {
            return;
        }
        long deadline = Math.min(parts.deadline(claim.request().timeout().dividedBy(3)), claim.deadline());
        try {
            Layout layout = parts.records().layout(deadline);
            KeyPath path = claim.path();
            KvEntry entry = parts.api().entry(path.ticket(last), deadline);
            if (entry != null) {
                List<KvOp> leaving = layout.transactions().delete(List.of(entry));
                TxnOutcome unused = parts.api().txn(layout.guarded(leaving), deadline);
            }
        } catch (ConsulException unanswered) {
            // The session ends it.
        }
    }
}
