package io.flockgate.cluster.campaign;

import io.flockgate.cluster.campaign.Call.Action;
import io.flockgate.cluster.campaign.Fault.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks the rules TAKEN, LEASE and ANSWER for one attempt. Disturbances excuse a grant that ended
 * before its time if they affected its gateway, or the one that answered, since it was requested.
 * They excuse an answer if they affected the gateway that answered then or shortly before.
 */
final class CallCheck {
    private CallCheck() {}

    static List<Fault> faults(Attempt attempt, History history, Bounds bounds) {
        List<Fault> faults = new ArrayList<>();
        for (Call call : attempt.calls()) {
            if (isRefusal(call) && isHeldBefore(attempt, call, history) && !isExcused(attempt, call, history, bounds)) {
                faults.add(new Fault(Rule.TAKEN, attempt.toString()));
            }
            if (isRevival(attempt, call)) {
                faults.add(new Fault(Rule.LEASE, attempt.toString()));
            }
            long since = call.sent() - healing(call, history, bounds).toNanos();
            if (!history.isDisturbed(call.gateway(), since, call.got())) {
                answer(attempt, call, bounds, faults);
            }
        }
        return faults;
    }

    /**
     * A gateway that sees that its record was made again grants nothing for a session's time, and
     * it may see that only after the last disturbance.
     */
    private static Duration healing(Call call, History history, Bounds bounds) {
        boolean emptied = history.wasEmptied(call.sent() - bounds.longestGap().toNanos(), call.sent());
        return emptied ? bounds.healing().plus(bounds.ttl()) : bounds.healing();
    }

    private static void answer(Attempt attempt, Call call, Bounds bounds, List<Fault> faults) {
        long allowed = Bounds.nanos(call.patience()) + bounds.late().toNanos();
        if (call.got() - call.sent() > allowed) {
            faults.add(new Fault(Rule.ANSWER, "late: " + call.action() + " of " + attempt));
        }
        if (call.answer() == Answer.NONE && attempt.closed() > call.got() && !maybeTakenOver(attempt, call)) {
            faults.add(new Fault(Rule.ANSWER, "none to " + call.action() + " of " + attempt));
        }
        if (call.answer() == Answer.ERROR && !maybeEnded(call)) {
            faults.add(new Fault(Rule.ANSWER, "error to " + call.action() + " of " + attempt));
        }
    }

    /**
     * Whether an earlier renewal through another gateway had no certain result. That gateway may
     * have taken the grant over and ended it, and then the client's own gateway closes its
     * connection.
     */
    private static boolean maybeTakenOver(Attempt attempt, Call call) {
        return attempt.calls().stream()
                .anyMatch(each -> each.action() == Action.RENEW
                        && each.gateway() != attempt.gateway()
                        && each.answer() != Answer.OK
                        && each.got() <= call.sent());
    }

    private static boolean isExcused(Attempt attempt, Call call, History history, Bounds bounds) {
        long since = attempt.asked() - bounds.healing().toNanos();
        return history.isDisturbed(call.gateway(), since, call.got())
                || history.isDisturbed(attempt.gateway(), since, call.got());
    }

    /**
     * Whether a renewal succeeded that was sent after the lease had certainly ended; a renewal
     * through another gateway may be late.
     */
    private static boolean isRevival(Attempt attempt, Call call) {
        if (call.action() != Action.RENEW || call.answer() != Answer.OK) {
            return false;
        }
        return attempt.calls().stream().allMatch(each -> each.gateway() == attempt.gateway())
                && attempt.calls().stream()
                        .filter(each -> each.got() <= call.sent() && (each.confirms() || each.action() == Action.RENEW))
                        .allMatch(each -> each.got() + Bounds.nanos(each.seconds()) < call.sent());
    }

    private static boolean maybeEnded(Call call) {
        return call.action() == Action.RENEW || call.action() == Action.RELEASE;
    }

    private static boolean isRefusal(Call call) {
        return maybeEnded(call) && call.answer() == Answer.ERROR;
    }

    /**
     * Whether it was held right up to this call, and its lease could not have ended before the
     * answer.
     */
    private static boolean isHeldBefore(Attempt attempt, Call refused, History history) {
        List<Holding> holdings = Holding.of(attempt, history);
        boolean held = !holdings.isEmpty() && holdings.getLast().to() == refused.sent();
        return held
                && attempt.connectedUntil() > refused.sent()
                && attempt.calls().stream()
                        .filter(each -> each.confirms() && each.got() <= refused.sent())
                        .reduce((earlier, later) -> later)
                        .filter(each -> each.sent() + Bounds.nanos(each.seconds()) > refused.got())
                        .isPresent()
                && attempt.calls().stream()
                        .filter(each -> each.got() <= refused.sent())
                        .noneMatch(each -> maybeEnded(each) && each.answer() != Answer.OK);
    }
}
