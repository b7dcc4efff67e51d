package io.flockgate.cluster.campaign;

import io.flockgate.cluster.campaign.Call.Action;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A time in which a slot was certainly held. It lasts from when the client had its grant, or the
 * answer to a renewal, until something may have ended it: the start of a release, the end of the
 * lease counted from its request, the end of the connection, the death or pause of its gateway, or
 * that gateway's own report that it has lost a session. A renewal through another gateway makes
 * that one the grant's gateway. Nothing is certain while a release without an answer may still be
 * carried out.
 */
record Holding(Attempt attempt, long from, long to) {
    /**
     * A gateway whose agent leaves may see at a key that its slot has ended before it notices and
     * logs the end of the session. It then ends the grant without a log line, and grants the slot
     * to the next waiter.
     */
    private static final long UNLOGGED_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** In order of time, without overlaps. */
    static List<Holding> of(Attempt attempt, History history) {
        List<Holding> holdings = new ArrayList<>();
        long before = Long.MIN_VALUE;
        for (Call call : attempt.calls()) {
            boolean certain = call.confirms() && !mayStillBeReleased(attempt, call, history);
            long to = certain ? certainEnd(attempt, call, history) : Long.MIN_VALUE;
            long from = Math.max(call.got(), before);
            if (from < to) {
                holdings.add(new Holding(attempt, from, to));
                before = to;
            }
        }
        return holdings;
    }

    /**
     * A gateway carries out a release as soon as it reaches Consul again, unless it was killed. An
     * attempt has one connection to the gateway of its grant, and new ones to others.
     */
    private static boolean mayStillBeReleased(Attempt attempt, Call confirming, History history) {
        return attempt.calls().stream()
                .filter(each -> each.action() == Action.RELEASE && each.answer() != Answer.OK)
                .filter(each -> each.sent() < confirming.got())
                .anyMatch(each -> !history.wasKilled(
                        each.gateway(),
                        each.gateway() == attempt.gateway() ? attempt.asked() : each.sent(),
                        confirming.got()));
    }

    /** The earliest end of what a call confirms. */
    private static long certainEnd(Attempt attempt, Call confirming, History history) {
        long end = Math.min(leaseEnd(confirming), attempt.connectedUntil());
        for (Call later : attempt.calls()) {
            if (later.sent() < confirming.got()) {
                continue;
            }
            if (later.action() == Action.RELEASE) {
                end = Math.min(end, later.sent());
            } else if (later.action() == Action.RENEW && later.answer() == Answer.OK) {
                // It may have shortened the lease.
                end = Math.min(end, Math.max(later.sent(), leaseEnd(later)));
            } else if (later.action() == Action.RENEW) {
                // It is not known when it was lost, or whether it was.
                end = Math.min(end, later.sent());
            }
        }
        for (Disturbance each : history.disturbances()) {
            if (each.endsGrants() && each.affects(confirming.gateway()) && each.to() > confirming.sent()) {
                end = Math.min(end, each.from());
            }
        }
        for (History.Loss each : history.losses()) {
            if (each.gateway() == confirming.gateway() && each.at() > confirming.sent()) {
                end = Math.min(end, history.isAfterALeave(each) ? each.at() - UNLOGGED_NANOS : each.at());
            }
        }
        return end;
    }

    private static long leaseEnd(Call call) {
        return call.sent() + Bounds.nanos(call.seconds());
    }

    /** The latest time at which a granted slot can have ended, while its gateway was well. */
    static long latestEnd(Attempt attempt) {
        long lease = Long.MIN_VALUE;
        long end = Math.min(attempt.closed(), attempt.broken());
        for (Call call : attempt.calls()) {
            boolean renewal = call.action() == Action.RENEW && call.answer() != Answer.ERROR;
            if (call.grants() || renewal) {
                lease = Math.max(lease, call.got() + Bounds.nanos(call.seconds()));
            } else if (call.action() == Action.RELEASE && call.answer() == Answer.OK) {
                end = Math.min(end, call.got());
            }
        }
        return Math.min(end, lease);
    }
}
