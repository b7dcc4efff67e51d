package io.flockgate.gateway.session;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.session.Outcome.Granted;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Refusal;
import io.vertx.core.Handler;
import java.util.function.LongConsumer;

/** Passes events on to {@link SessionEvents} with their times. Event loop only, but for {@link #ended}. */
final class TimedEvents {
    private final SessionEvents events;
    private final EventLoop loop;
    private final LongConsumer maxLocksReached;
    private final boolean wanted;

    TimedEvents(SessionEvents events, EventLoop loop, LongConsumer maxLocksReached) {
        this.events = events;
        this.loop = loop;
        this.maxLocksReached = maxLocksReached;
        this.wanted = !events.equals(SessionEvents.NONE);
    }

    void grantedAtOnce(Kind kind) {
        events.grantedAtOnce(kind);
    }

    /** The grant of a claim that was queued. */
    void grantedAfter(long claimedAt, Grant grant) {
        events.grantedAfter(grant.kind(), Math.max(0, grant.grantedAtNanos() - claimedAt));
    }

    /** A waiting request has got its grant. Its answer must go to the handler returned, which times the hand-over. */
    Handler<Outcome> granted(WaitingRequest waiting, Grant grant, boolean atOnce) {
        if (atOnce) {
            grantedAtOnce(grant.kind());
            return waiting.answer;
        }
        grantedAfter(waiting.claimedAt, grant);
        return wanted ? outcome -> handOver(outcome, waiting.answer) : waiting.answer;
    }

    private void handOver(Outcome outcome, Handler<Outcome> answer) {
        if (outcome instanceof Granted granted) {
            events.handedOver(since(granted.grant(), loop.now()));
        }
        answer.handle(outcome);
    }

    /** The outcome of a refused claim. */
    Plain refused(Refusal refusal) {
        events.refused(refusal);
        if (refusal == Refusal.MAX_LOCKS) {
            maxLocksReached.accept(loop.now());
        }
        return Plain.of(refusal);
    }

    /** The outcome of a claim that the session refused. */
    Plain refused(ClientRefusal refusal) {
        events.refused(refusal);
        return refusal.outcome();
    }

    /** On any thread. */
    void ended(Grant grant, Ending ending) {
        if (wanted) {
            events.ended(grant.kind(), since(grant, loop.isCurrent() ? loop.now() : EventLoop.time()), ending);
        }
    }

    /** Never negative, though the grant's clock may be another event loop's, read later. */
    private static long since(Grant grant, long now) {
        return Math.max(0, now - grant.grantedAtNanos());
    }
}
