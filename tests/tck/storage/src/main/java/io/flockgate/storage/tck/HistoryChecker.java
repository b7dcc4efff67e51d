package io.flockgate.storage.tck;

import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import io.flockgate.storage.tck.ClaimHistory.Answer;
import io.flockgate.storage.tck.ClaimHistory.Granted;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Finds the faults in a finished history, in which every claim was answered, every queued claim was
 * granted or left, and every grant ended. It relies only on what is certain whatever the storage's
 * clocks show: a grant was held from its notification until the beginning of the last call that
 * released or renewed it.
 */
final class HistoryChecker {
    private final List<String> faults = new ArrayList<>();

    private HistoryChecker() {}

    /**
     * Returns the faults; empty when there are none. A history that shows nothing is itself a
     * fault.
     */
    static List<String> faults(List<ClaimHistory> history) {
        HistoryChecker checker = new HistoryChecker();
        checker.showsSomething(history);
        history.forEach(checker::noLostGrant);
        history.forEach(checker::endsOnce);
        Map<String, List<ClaimHistory>> byKey = history.stream().collect(Collectors.groupingBy(ClaimHistory::key));
        byKey.values().forEach(checker::neverMoreHoldersThanTheLimit);
        byKey.values().forEach(checker::firstComeFirstServed);
        byKey.values().forEach(checker::fencesRise);
        return checker.faults;
    }

    private void fault(String text, ClaimHistory... claims) {
        faults.add(text + ": " + List.of(claims));
    }

    private void showsSomething(List<ClaimHistory> history) {
        if (history.stream().allMatch(each -> each.grants().isEmpty())) {
            faults.add("nothing was granted");
        }
    }

    private void noLostGrant(ClaimHistory claim) {
        int wanted = claim.answer() == Answer.REFUSED || claim.hasLeft() ? 0 : 1;
        if (claim.grants().size() < wanted) {
            fault("never granted and has not left", claim);
        } else if (claim.grants().size() > wanted) {
            fault(wanted == 0 ? "granted although refused or gone" : "granted more than once", claim);
        }
        if (claim.leave() != null && claim.answer() != Answer.QUEUED) {
            fault("left a queue that it never was in", claim);
        }
        if (claim.leave() != null
                && claim.leave().outcome() == LeaveOutcome.GRANTED
                && claim.grants().isEmpty()) {
            fault("said to be granted, and was not", claim);
        }
    }

    private void endsOnce(ClaimHistory claim) {
        if (claim.endings().size() != claim.grants().size()) {
            fault(
                    claim.endings().size() + " endings notified for "
                            + claim.grants().size() + " grants",
                    claim);
        } else if (claim.released() > 0) {
            boolean notified = claim.endings().stream()
                    .anyMatch(each -> each.ending() == Ending.RELEASED && each.at() < claim.released());
            if (!notified) {
                fault("not notified of its release before that was answered", claim);
            }
        } else if (claim.endings().stream().anyMatch(each -> each.ending() == Ending.RELEASED)) {
            fault("notified of a release that was never made", claim);
        }
    }

    /** Counts the certain holders at each moment. */
    private void neverMoreHoldersThanTheLimit(List<ClaimHistory> ofOneKey) {
        record Change(long at, int by, ClaimHistory claim) {}
        List<Change> changes = new ArrayList<>();
        for (ClaimHistory claim : ofOneKey) {
            for (Granted grant : claim.grants()) {
                if (grant.at() < claim.lastAlive()) {
                    changes.add(new Change(grant.at(), 1, claim));
                    changes.add(new Change(claim.lastAlive(), -1, claim));
                }
            }
        }
        changes.sort(Comparator.comparingLong(Change::at));
        long holders = 0;
        for (Change change : changes) {
            holders += change.by();
            if (holders > change.claim().limit()) {
                fault("holder number " + holders, change.claim());
            }
        }
    }

    /** A claim that was certainly in the queue when a later one was made is granted before it. */
    private void firstComeFirstServed(List<ClaimHistory> ofOneKey) {
        List<ClaimHistory> queued =
                ofOneKey.stream().filter(each -> each.answer() == Answer.QUEUED).toList();
        for (ClaimHistory late : ofOneKey) {
            for (Granted grant : late.grants()) {
                queued.stream()
                        .filter(early -> early.answered() < late.asked() && isOvertaken(early, grant))
                        .forEach(early -> fault("overtaken", early, late));
            }
        }
    }

    private static boolean isOvertaken(ClaimHistory early, Granted late) {
        if (early.hasLeft() && early.leave() != null) {
            return late.at() < early.leave().asked();
        }
        return early.grants().stream().anyMatch(each -> Long.compareUnsigned(each.fence(), late.fence()) > 0);
    }

    /**
     * A grant recorded before another claim was made has the smaller fence, and no two fences are
     * equal.
     */
    private void fencesRise(List<ClaimHistory> ofOneKey) {
        for (ClaimHistory late : ofOneKey) {
            for (ClaimHistory early : ofOneKey) {
                if (late.asked() != early.asked() && isFenceWrong(early, late)) {
                    fault("fence does not rise", early, late);
                }
            }
        }
    }

    private static boolean isFenceWrong(ClaimHistory early, ClaimHistory late) {
        for (Granted first : early.grants()) {
            for (Granted second : late.grants()) {
                int order = Long.compareUnsigned(first.fence(), second.fence());
                if (order == 0 || (order > 0 && isCertainlyBefore(early, first, late, second))) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * With one slot, grants are ordered by when they were certainly held; with several, only by
     * claims.
     */
    private static boolean isCertainlyBefore(ClaimHistory early, Granted first, ClaimHistory late, Granted second) {
        boolean heldBefore = early.limit() == 1
                && first.at() < early.lastAlive()
                && early.lastAlive() < second.at()
                && second.at() < late.lastAlive();
        return first.at() < late.asked() || heldBefore;
    }
}
