package io.flockgate.gateway.session;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.eventloop.LazyTimer;
import io.flockgate.gateway.session.Outcome.Failed;
import io.flockgate.gateway.session.Outcome.Granted;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Grant;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.StorageException;
import io.vertx.core.Handler;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends the pending wait of a session, with or without a grant. Event loop only.
 *
 * <ol>
 *   <li>A request begins to wait, with a timer for its end.
 *   <li>A grant that arrives is delivered. If it is stale ({@link WaitingRequest#isFresh}), it is
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
    private @Nullable WaitingRequest waiting;

    /** The requests whose grants are being renewed. */
    private int renewing;

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
        return waiting == null && renewing == 0 && enqueued.isIdle();
    }

    /** Begins a wait, without a timer if the timeout is zero. */
    void begin(WaitingRequest request, long timeoutSeconds) {
        waiting = request;
        if (timeoutSeconds > 0) {
            timer.set(TimeUnit.SECONDS.toNanos(timeoutSeconds));
        }
    }

    /** Notes that the claim of a waiting request has a place in the queue. */
    void queued(WaitingRequest request, Ticket ticket) {
        request.ticket = ticket;
        if (request.givenUpAs != null) {
            leave(request);
        }
    }

    void granted(Ticket ticket, Grant grant) {
        WaitingRequest request = waiting;
        if (request != null && request.isFor(ticket)) {
            deliver(request, grant, false);
        } else {
            held.giveBack(grant);
        }
    }

    void granted(Enqueued entry, Grant grant) {
        WaitingRequest request = waiting;
        if (request != null && request.entry == entry) {
            deliver(request, grant, false);
        } else if (entry.abandoned) {
            held.giveBack(grant);
        } else {
            events.grantedAfter(entry.claimedAt(), grant);
            if (entry.becomesHeld()) {
                held.addUndelivered(grant);
            }
        }
    }

    /**
     * Notes that an operator has removed the claim of a waiting request from the queue. Its wait
     * ends as if its time were up.
     */
    void removed(Ticket ticket) {
        WaitingRequest request = waiting;
        if (request != null && request.isFor(ticket)) {
            endRemoved(request);
        }
    }

    /** Notes that the grant of a waiting request could not be made durable. */
    void failed(Ticket ticket, StorageException cause) {
        WaitingRequest request = waiting;
        if (request != null && request.isFor(ticket)) {
            end(request, new Failed(cause));
        }
    }

    /**
     * Notes that the grant of an enqueued claim could not be made durable. If no request waits for
     * the claim, its key is no longer enqueued.
     */
    void failed(Enqueued entry, StorageException cause) {
        WaitingRequest request = waiting;
        if (request != null && request.entry == entry) {
            end(request, new Failed(cause));
        } else {
            removed(entry);
        }
    }

    /**
     * Notes that an operator has removed an enqueued claim from the queue. If no request waits for
     * the claim, its key is no longer enqueued.
     */
    void removed(Enqueued entry) {
        WaitingRequest request = waiting;
        if (request != null && request.entry == entry) {
            endRemoved(request);
        } else {
            entry.abandoned = true;
            enqueued.forget(entry);
        }
    }

    private void endRemoved(WaitingRequest request) {
        end(request, request.givenUpAs == null ? Plain.TIMEOUT : request.givenUpAs);
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
        WaitingRequest request = waiting;
        if (request != null) {
            request.answer = outcome -> {};
        }
    }

    private void giveUp(Plain outcome) {
        WaitingRequest request = waiting;
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

    private void leave(WaitingRequest request) {
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
    void end(WaitingRequest request, Outcome outcome) {
        if (waiting != request) {
            return;
        }
        waiting = null;
        timer.clear();
        if (request.entry != null) {
            request.entry.abandoned = true;
            enqueued.forget(request.entry);
        }
        answer(request.answer, outcome);
    }

    /**
     * Delivers a grant to its request, unless the client has disconnected or the gateway has
     * cancelled the wait.
     */
    void deliver(WaitingRequest request, Grant grant, boolean atOnce) {
        if (waiting != request || held.isClosed() || request.givenUpAs == Plain.CANCELLED) {
            held.giveBack(grant);
            end(request, Plain.CANCELLED);
            return;
        }
        waiting = null;
        timer.clear();
        if (request.entry != null) {
            enqueued.forget(request.entry);
        }
        Handler<Outcome> answer = events.granted(request, grant, atOnce);
        boolean ended = request.entry != null && request.entry.ending() != null;
        if (!ended && request.isFresh(grant, loop.now())) {
            hold(grant, request.entry);
            answer.handle(new Granted(grant, request.leaseSeconds));
        } else {
            deliverRenewed(grant, request.leaseSeconds, request.entry, answer);
        }
    }

    /**
     * Renews a grant that was made earlier, then delivers it. A grant that cannot be delivered is
     * released, unless an enqueue has already delivered its token.
     */
    void deliverRenewed(Grant grant, long leaseSeconds, @Nullable Enqueued entry, Handler<Outcome> answer) {
        renewing++;
        mailbox.whenDone(
                StorageFailures.call(() -> storage.renew(grant.key(), grant.token(), leaseSeconds)),
                outcome -> {
                    renewing--;
                    if (outcome == RenewOutcome.RENEWED) {
                        hold(grant, entry);
                        answerGranted(answer, new Granted(grant, leaseSeconds));
                    } else {
                        boolean notHeld = outcome == RenewOutcome.NOT_HELD;
                        answer(answer, entry != null && notHeld ? entry.endedAs() : Plain.LEASE_EXPIRED);
                    }
                },
                failure -> {
                    renewing--;
                    if (entry == null || entry.ticket != null) {
                        held.giveBack(grant);
                    }
                    answer(answer, new Failed(failure));
                });
    }

    /**
     * Adds a grant to those that the session holds. The grant of an enqueue is added only once,
     * either before its wait or during it.
     */
    void hold(Grant grant, @Nullable Enqueued entry) {
        if (entry == null || entry.becomesHeld()) {
            held.add(grant);
        }
    }

    /** Answers a request with a grant, unless the client has disconnected in the meantime. */
    private void answerGranted(Handler<Outcome> answer, Granted granted) {
        if (!held.isClosed()) {
            held.delivered(granted.grant());
            answer.handle(granted);
        }
    }

    /** Answers a request, unless the client has disconnected in the meantime. */
    void answer(Handler<Outcome> answer, Outcome outcome) {
        if (!held.isClosed()) {
            answer.handle(outcome);
        }
    }
}
