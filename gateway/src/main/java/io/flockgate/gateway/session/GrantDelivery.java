package io.flockgate.gateway.session;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.eventloop.LazyTimer;
import io.flockgate.gateway.session.Outcome.Failed;
import io.flockgate.gateway.session.Outcome.Granted;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.StorageException;
import io.vertx.core.Handler;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Ends the pending wait of a session, with or without a grant. Event loop only.
 *
 * <ol>
 *   <li>A request begins to wait, with a timer for its end.
 *   <li>A grant that arrives is delivered. If it is stale ({@link PendingClaim#isFresh}), it is
 *       first renewed. A grant that can no longer be delivered is released.
 *   <li>When its time is up, the request leaves the queue. It is answered once the storage reports
 *       that it has left the queue.
 *   <li>If the storage reports instead that the request was granted first, that grant ends the
 *       wait.
 * </ol>
 *
 * <p>A grant wins over a timeout. A cancellation or a disconnect of the client wins over a grant.
 */
final class GrantDelivery {
    private final LockStorage storage;
    private final EventLoop loop;
    final Mailbox mailbox;
    final TimedEvents events;
    final HeldGrants held;
    final EnqueuedKeys enqueued;
    private final LazyTimer timer;
    private @Nullable PendingClaim waiting;

    /** The claim whose grant is being renewed. */
    private @Nullable PendingClaim renewing;

    GrantDelivery(LockStorage storage, Mailbox mailbox, TimedEvents events, HeldGrants held, EnqueuedKeys enqueued) {
        this.storage = storage;
        this.loop = mailbox.loop();
        this.mailbox = mailbox;
        this.events = events;
        this.held = held;
        this.enqueued = enqueued;
        this.timer = new LazyTimer(loop, this::timeOut);
    }

    /** Whether no request is pending, and no enqueued claim has a place in a queue or a grant. */
    boolean isIdle() {
        return waiting == null && renewing == null && enqueued.isIdle();
    }

    /** Begins a wait, without a timer if the timeout is zero. */
    void begin(PendingClaim claim, long timeoutSeconds) {
        waiting = claim;
        if (timeoutSeconds > 0) {
            timer.set(TimeUnit.SECONDS.toNanos(timeoutSeconds));
        }
    }

    /** Notes that the claim of a waiting request has a place in the queue. */
    void queued(PendingClaim claim, Ticket ticket) {
        claim.queued(ticket);
        if (claim.givenUpAs != null) {
            leave(claim);
        }
    }

    private @Nullable PendingClaim of(Ticket ticket) {
        return waiting != null && waiting.isFor(ticket) ? waiting : enqueued.of(ticket);
    }

    void granted(Ticket ticket, Grant grant) {
        PendingClaim claim = of(ticket);
        if (claim == null) {
            held.giveBack(grant);
        } else if (claim == waiting) {
            deliver(claim, grant, false);
        } else {
            events.grantedAfter(claim.claimedAt, grant);
            keep(claim, grant, false);
        }
    }

    /**
     * Keeps a grant for the wait of its claim, unless it has already ended.
     *
     * @param told whether the client learns the token before its wait
     */
    void keep(PendingClaim claim, Grant grant, boolean told) {
        claim.grant = grant;
        claim.told = told;
        if (claim.hasEnded()) {
            enqueued.dropIfReleased(claim);
        } else {
            hold(claim, grant);
        }
    }

    /**
     * Notes that a claim has left the queue without a grant. If no request waits for it, its key is
     * no longer enqueued.
     *
     * @param cause null if an operator has removed the claim, so that its wait ends as if its time
     *     were up
     */
    void removed(Ticket ticket, @Nullable StorageException cause) {
        PendingClaim claim = of(ticket);
        if (claim == null) {
            return;
        }
        if (claim != waiting) {
            enqueued.forget(claim);
        } else if (cause != null) {
            end(claim, new Failed(cause));
        } else {
            end(claim, claim.givenUpAs == null ? Plain.TIMEOUT : claim.givenUpAs);
        }
    }

    /** Notes that a grant has ended, perhaps before its claim is known to have been granted. */
    void ended(Grant grant, Ending ending) {
        if (waiting != null) {
            waiting.ended(grant, ending);
        }
        if (renewing != null) {
            renewing.ended(grant, ending);
        }
        enqueued.ended(grant, ending);
    }

    /** The grants whose tokens the client would learn only by a wait that is not answered yet. */
    List<Grant> untold() {
        return Stream.concat(Stream.ofNullable(renewing), enqueued.all().stream())
                .filter(claim -> claim.held && !claim.told && !claim.hasEnded())
                .map(claim -> Objects.requireNonNull(claim.grant))
                .toList();
    }

    /** Whether the grant is one of them. */
    boolean isUntold(Grant grant) {
        PendingClaim entry = enqueued.get(grant.key());
        return (renewing != null && renewing.isUntold(grant)) || (entry != null && entry.isUntold(grant));
    }

    /**
     * Ends the wait as if its time were up. A claim that the storage has not answered yet may still
     * get a free slot.
     */
    void timeOut() {
        giveUp(Plain.TIMEOUT);
    }

    /**
     * Cancels the wait. A grant that arrives from now on is released. The outcome is {@link
     * Plain#CANCELLED}, unless the storage refuses the claim or fails.
     */
    void cancel() {
        giveUp(Plain.CANCELLED);
    }

    /** Ends the wait, because the client has disconnected. */
    void close() {
        timer.stop();
        cancel();
        PendingClaim request = waiting;
        if (request != null) {
            request.answer = outcome -> {};
        }
    }

    private void giveUp(Plain outcome) {
        PendingClaim request = waiting;
        if (request == null) {
            return;
        }
        boolean leaving = request.givenUpAs != null;
        if (request.givenUpAs != Plain.CANCELLED) {
            request.givenUpAs = outcome;
        }
        if (!leaving) {
            leave(request);
        }
    }

    private void leave(PendingClaim request) {
        Ticket ticket = request.ticket;
        if (ticket == null) {
            return;
        }
        mailbox.whenDone(
                StorageFailures.call(() -> storage.leave(ticket)),
                outcome -> {
                    if (outcome == LeaveOutcome.LEFT && request.givenUpAs != null) {
                        end(request, request.givenUpAs);
                    }
                },
                failure -> end(request, new Failed(failure)));
    }

    /** Ends the wait without a grant. Does nothing if the wait has already ended. */
    void end(PendingClaim request, Outcome outcome) {
        if (waiting != request) {
            return;
        }
        waiting = null;
        timer.clear();
        enqueued.forget(request);
        answer(request.answer, outcome);
    }

    /**
     * Delivers a grant to its request, unless the client has disconnected or the gateway has
     * cancelled the wait.
     */
    void deliver(PendingClaim request, Grant grant, boolean atOnce) {
        if (waiting != request || held.isClosed() || request.givenUpAs == Plain.CANCELLED) {
            held.giveBack(grant);
            end(request, Plain.CANCELLED);
            return;
        }
        waiting = null;
        timer.clear();
        request.grant = grant;
        enqueued.forget(request);
        Handler<Outcome> answer = events.granted(request, grant, atOnce);
        if (!request.hasEnded() && request.isFresh(grant, loop.now())) {
            hold(request, grant);
            answer.handle(new Granted(grant, request.claim.leaseSeconds()));
        } else {
            deliverRenewed(request, grant, answer);
        }
    }

    /**
     * Renews a grant that was made earlier, then delivers it. A grant that cannot be delivered is
     * released, unless an enqueue has already delivered its token.
     */
    void deliverRenewed(PendingClaim claim, Grant grant, Handler<Outcome> answer) {
        long leaseSeconds = claim.claim.leaseSeconds();
        renewing = claim;
        mailbox.whenDone(
                StorageFailures.call(() -> storage.renew(grant.key(), grant.token(), leaseSeconds)),
                outcome -> {
                    renewing = null;
                    if (outcome == RenewOutcome.RENEWED && !claim.hasEnded()) {
                        hold(claim, grant);
                        answer(answer, new Granted(grant, leaseSeconds));
                    } else {
                        boolean expired = outcome == RenewOutcome.LEASE_EXPIRED;
                        answer(answer, claim.enqueued && !expired ? claim.endedAs() : Plain.LEASE_EXPIRED);
                    }
                },
                failure -> {
                    renewing = null;
                    if (!claim.told) {
                        held.giveBack(grant);
                    }
                    answer(answer, new Failed(failure));
                });
    }

    /**
     * Adds a grant to those that the session holds. The grant of an enqueue is added only once,
     * either before its wait or during it.
     */
    private void hold(PendingClaim claim, Grant grant) {
        if (!claim.held) {
            claim.held = true;
            held.add(grant);
        }
    }

    /** Answers a request, unless the client has disconnected in the meantime. */
    void answer(Handler<Outcome> answer, Outcome outcome) {
        if (!held.isClosed()) {
            answer.handle(outcome);
        }
    }
}
