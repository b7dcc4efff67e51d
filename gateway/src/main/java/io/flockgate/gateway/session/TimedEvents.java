package io.flockgate.gateway.session;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.session.Outcome.Granted;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;
import io.vertx.core.Handler;

/**
 * Passes on the events of one session, with their times, to each of the {@link SessionEvents}.
 * Costs nothing without listeners. Event loop only, except {@link #ended}.
 */
final class TimedEvents {
    private final Claimant session;
    private final SessionEvents[] listeners;
    private final EventLoop loop;
    private final ClientLimits limits;

    TimedEvents(Claimant session, SessionEvents[] listeners, EventLoop loop, ClientLimits limits) {
        this.session = session;
        this.listeners = listeners;
        this.loop = loop;
        this.limits = limits;
    }

    void began() {
        for (SessionEvents each : listeners) {
            each.began(session);
        }
    }

    void left() {
        for (SessionEvents each : listeners) {
            each.left(session);
        }
    }

    /** A claim was granted at once, because a slot was free. */
    void grantedAtOnce(Grant grant) {
        for (SessionEvents each : listeners) {
            each.grantedAtOnce(session, grant);
        }
    }

    /** A claim has a place in the queue. */
    void queued(Claim claim) {
        for (SessionEvents each : listeners) {
            each.queued(session, claim);
        }
    }

    /** A queued claim was granted. */
    void grantedAfter(long claimedAt, Grant grant) {
        long waited = Math.max(0, grant.grantedAtNanos() - claimedAt);
        for (SessionEvents each : listeners) {
            each.grantedAfter(session, grant, waited);
        }
    }

    /**
     * A waiting request has been granted. Its answer must go to the returned handler, which times
     * the hand-over.
     */
    Handler<Outcome> granted(PendingClaim waiting, Grant grant, boolean atOnce) {
        if (atOnce) {
            grantedAtOnce(grant);
            return waiting.answer;
        }
        grantedAfter(waiting.claimedAt, grant);
        return listeners.length == 0 ? waiting.answer : outcome -> handOver(outcome, waiting.answer);
    }

    private void handOver(Outcome outcome, Handler<Outcome> answer) {
        if (outcome instanceof Granted granted) {
            long taken = since(granted.grant(), loop.now());
            for (SessionEvents each : listeners) {
                each.handedOver(taken);
            }
        }
        answer.handle(outcome);
    }

    /** The storage refused a claim. Returns the claim's outcome. */
    Plain refused(Claim claim, Refusal refusal) {
        notifyRefused(claim, refusal);
        limits.refused(claim, refusal);
        return Plain.of(refusal);
    }

    /** The session refused a claim. Returns the claim's outcome. */
    Plain refused(Claim claim, Plain refusal) {
        notifyRefused(claim, refusal);
        limits.refused(String.valueOf(session.description().address()), refusal);
        return refusal;
    }

    private void notifyRefused(Claim claim, Enum<?> reason) {
        for (SessionEvents each : listeners) {
            each.refused(session, claim, reason);
        }
    }

    /** On any thread. */
    void ended(Grant grant, Ending ending) {
        if (listeners.length > 0) {
            long held = since(grant, loop.isCurrent() ? loop.now() : EventLoop.time());
            for (SessionEvents each : listeners) {
                each.ended(session, grant, held, ending);
            }
        }
    }

    /**
     * Never negative, although the grant's time may come from another event loop's clock, read
     * later.
     */
    private static long since(Grant grant, long now) {
        return Math.max(0, now - grant.grantedAtNanos());
    }
}
