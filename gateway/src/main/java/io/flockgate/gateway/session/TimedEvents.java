package io.flockgate.gateway.session;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.session.Outcome.Granted;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Refusal;
import io.vertx.core.Handler;
import java.util.function.ObjLongConsumer;

/** Passes events on to {@link SessionEvents} with their times. Event loop only, but for {@link #ended}. */
final class TimedEvents {
    private final SessionEvents events;
    private final EventLoop loop;
    private final LockSession session;
    private final ObjLongConsumer<Enum<?>> refusals;
    private final boolean wanted;

    TimedEvents(LockSession session, SessionEvents events, EventLoop loop, ObjLongConsumer<Enum<?>> refusals) {
        this.session = session;
        this.events = events;
        this.loop = loop;
        this.refusals = refusals;
        this.wanted = events.wantsTimes();
    }

    void grantedAtOnce(Grant grant) {
        events.grantedAtOnce(grant.kind());
        events.granted(session, grant);
    }

    /** The grant of a claim that was queued. */
    void grantedAfter(long claimedAt, Grant grant) {
        events.grantedAfter(grant.kind(), Math.max(0, grant.grantedAtNanos() - claimedAt));
        events.granted(session, grant);
    }

    /** A waiting request has got its grant. Its answer must go to the handler returned, which times the hand-over. */
    Handler<Outcome> granted(WaitingRequest waiting, Grant grant, boolean atOnce) {
        if (atOnce) {
            grantedAtOnce(grant);
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
        if (refusal != Refusal.BUSY) {
            refusals.accept(refusal, loop.now());
        }
        return Plain.of(refusal);
    }

    /** The outcome of a claim that the session refused. */
    Plain refused(ClientRefusal refusal) {
        events.refused(refusal);
        refusals.accept(refusal, loop.now());
        return refusal.outcome();
    }

    /** On any thread. */
    void ended(Grant grant, Ending ending) {
        if (wanted) {
            long held = since(grant, loop.isCurrent() ? loop.now() : EventLoop.time());
            events.ended(grant.kind(), held, ending);
            events.ended(session, grant, held, ending);
        }
    }

    /** Never negative, though the grant's clock may be another event loop's, read later. */
    private static long since(Grant grant, long now) {
        return Math.max(0, now - grant.grantedAtNanos());
    }
}
