package io.flockgate.gateway.session;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.session.ClientEvent.EventType;
import io.flockgate.gateway.session.GrantListener.WatchedSession;
import io.flockgate.gateway.session.Outcome.Granted;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Refusal;
import io.vertx.core.Handler;
import org.jspecify.annotations.Nullable;

/**
 * Passes on the events of one session: to {@link SessionEvents} and {@link GrantListener} with
 * their times, and to the {@link EventFeed}. Event loop only, except {@link #ended}.
 */
final class TimedEvents {
    private final SessionEvents events;
    private final GrantListener grants;
    private final EventFeed feed;
    private final EventLoop loop;
    private final WatchedSession session;
    private final ClientLimits limits;
    private final boolean wanted;

    TimedEvents(
            WatchedSession session,
            SessionEvents events,
            GrantListener grants,
            EventFeed feed,
            EventLoop loop,
            ClientLimits limits) {
        this.session = session;
        this.grants = grants;
        this.events = events;
        this.feed = feed;
        this.loop = loop;
        this.limits = limits;
        this.wanted = events.wantsTimes() || !grants.equals(GrantListener.NONE);
    }

    void began() {
        publish(EventType.SESSION_BEGAN, null, null, 0, null);
    }

    void left() {
        publish(EventType.SESSION_ENDED, null, null, 0, null);
    }

    /** A claim was granted at once, because a slot was free. */
    void grantedAtOnce(Grant grant) {
        events.grantedAtOnce(grant.kind());
        grants.granted(session, grant);
        publish(EventType.GRANTED, grant.key(), grant.kind(), grant.fence(), null);
    }

    /** A claim has a place in the queue. */
    void queued(Claim claim) {
        publish(EventType.QUEUED, claim.key(), claim.kind(), 0, null);
    }

    /** A queued claim was granted. */
    void grantedAfter(long claimedAt, Grant grant) {
        events.grantedAfter(grant.kind(), Math.max(0, grant.grantedAtNanos() - claimedAt));
        grants.granted(session, grant);
        publish(EventType.GRANTED, grant.key(), grant.kind(), grant.fence(), null);
    }

    /**
     * A waiting request has been granted. Its answer must go to the returned handler, which times
     * the hand-over.
     */
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

    /** The storage refused a claim. Returns the claim's outcome. */
    Plain refused(Claim claim, Refusal refusal) {
        events.refused(refusal);
        limits.refused(claim, refusal);
        publish(EventType.REFUSED, claim.key(), claim.kind(), 0, refusal);
        return Plain.of(refusal);
    }

    /** The session refused a claim. Returns the claim's outcome. */
    Plain refused(Claim claim, ClientRefusal refusal) {
        events.refused(refusal);
        limits.refused(String.valueOf(session.description().address()), refusal);
        publish(EventType.REFUSED, claim.key(), claim.kind(), 0, refusal);
        return refusal.outcome();
    }

    /** On any thread. */
    void ended(Grant grant, Ending ending) {
        if (wanted) {
            long held = since(grant, now());
            events.ended(grant.kind(), held, ending);
            grants.ended(session, grant, held, ending);
        }
        publish(EventType.of(ending), grant.key(), grant.kind(), grant.fence(), null);
    }

    /**
     * Never negative, although the grant's time may come from another event loop's clock, read
     * later.
     */
    private static long since(Grant grant, long now) {
        return Math.max(0, now - grant.grantedAtNanos());
    }

    private void publish(EventType type, @Nullable Key key, @Nullable Kind kind, long fence, @Nullable Enum<?> reason) {
        if (feed.keeps()) {
            feed.publish(type, session, key, kind, fence, reason, now());
        }
    }

    private long now() {
        return loop.isCurrent() ? loop.now() : EventLoop.time();
    }
}
