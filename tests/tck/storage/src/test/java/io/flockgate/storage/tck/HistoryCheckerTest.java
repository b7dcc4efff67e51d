package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each check catches its fault, and a history without that fault passes. */
class HistoryCheckerTest {
    private static final String KEY = "k";

    /** Held from 2 to 10, ended by its release at 12. */
    private static final ClaimHistory FIRST =
            ClaimHistory.held(KEY, 1, 1, 2, 100).released(10, 12).ended(11, Ending.RELEASED);

    /** Queued at 4, granted at 13. */
    private static final ClaimHistory SECOND =
            ClaimHistory.queued(KEY, 1, 3, 4).granted(13, 101).released(20, 22).ended(21, Ending.RELEASED);

    /** Queued at 6, granted at 23. */
    private static final ClaimHistory THIRD =
            ClaimHistory.queued(KEY, 1, 5, 6).granted(23, 102).released(30, 32).ended(31, Ending.RELEASED);

    private static void passes(ClaimHistory... claims) {
        assertThat(HistoryChecker.faults(List.of(claims))).isEmpty();
    }

    /** Found as the only fault, so that no check stands in for another. */
    private static void fails(String fault, ClaimHistory... claims) {
        assertThat(HistoryChecker.faults(List.of(claims)))
                .isNotEmpty()
                .allSatisfy(each -> assertThat(each).startsWith(fault));
    }

    @Test
    void aHistoryWithoutFaultPasses() {
        passes(FIRST, SECOND, THIRD);
        passes(THIRD, SECOND, FIRST, ClaimHistory.refused(KEY, 1, 7, 8));
    }

    @Test
    void aHistoryThatShowsNothingFails() {
        fails("nothing was granted");
        fails("nothing was granted", ClaimHistory.refused(KEY, 1, 1, 2));
    }

    @Test
    void twoHoldersOfALockAtOneMomentFail() {
        ClaimHistory early = SECOND;
        ClaimHistory tooEarly = ClaimHistory.queued(KEY, 1, 3, 4)
                .granted(9, 101)
                .released(20, 22)
                .ended(21, Ending.RELEASED);

        passes(FIRST, early);
        fails("holder number 2", FIRST, tooEarly);
    }

    @Test
    void threeHoldersOfTwoSlotsFail() {
        List<ClaimHistory> claims = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            claims.add(ClaimHistory.held(KEY, 2, 10 * i + 1, 10 * i + 2, 100 + i)
                    .released(50 + i, 70 + i)
                    .ended(60 + i, Ending.RELEASED));
        }

        passes(claims.get(0), claims.get(1));
        fails("holder number 3", claims.toArray(ClaimHistory[]::new));
    }

    @Test
    void holdersOfDifferentKeysDoNotCountTogether() {
        passes(FIRST, ClaimHistory.held("other", 1, 3, 4, 101).released(14, 16).ended(15, Ending.RELEASED));
    }

    @Test
    void aRenewalProvesAHolderWhoseLeaseEndsLater() {
        ClaimHistory renewed = ClaimHistory.held(KEY, 1, 1, 2, 100).alive(30).ended(40, Ending.EXPIRED);

        passes(renewed);
        fails("holder number 2", renewed, SECOND);
    }

    @Test
    void aHolderThatProvesNothingIsNotCounted() {
        passes(ClaimHistory.held(KEY, 1, 1, 2, 100).ended(40, Ending.EXPIRED), SECOND);
    }

    @Test
    void aWaiterThatIsGrantedBeforeAnEarlierOneFails() {
        ClaimHistory second = ClaimHistory.queued(KEY, 1, 3, 4)
                .granted(23, 102)
                .released(30, 32)
                .ended(31, Ending.RELEASED);
        ClaimHistory third = ClaimHistory.queued(KEY, 1, 5, 6)
                .granted(13, 101)
                .released(20, 22)
                .ended(21, Ending.RELEASED);

        fails("overtaken", FIRST, second, third);
    }

    @Test
    void waitersThatQueuedAtTheSameTimeMayBeGrantedInAnyOrder() {
        ClaimHistory second = ClaimHistory.queued(KEY, 1, 3, 6)
                .granted(23, 102)
                .released(30, 32)
                .ended(31, Ending.RELEASED);
        ClaimHistory third = ClaimHistory.queued(KEY, 1, 4, 5)
                .granted(13, 101)
                .released(20, 22)
                .ended(21, Ending.RELEASED);

        passes(FIRST, second, third);
    }

    @Test
    void aNewcomerThatIsHeldWhileOneWaitsFails() {
        ClaimHistory waiting = ClaimHistory.queued(KEY, 1, 3, 4)
                .granted(30, 102)
                .released(40, 42)
                .ended(41, Ending.RELEASED);
        ClaimHistory newcomer =
                ClaimHistory.held(KEY, 1, 14, 15, 101).released(20, 22).ended(21, Ending.RELEASED);

        fails("overtaken", FIRST, waiting, newcomer);
    }

    @Test
    void aGrantPastOneThatLeavesOnlyLaterFails() {
        ClaimHistory leftBefore = ClaimHistory.queued(KEY, 1, 3, 4).left(7, 8, LeaveOutcome.LEFT);
        ClaimHistory leftLater = ClaimHistory.queued(KEY, 1, 3, 4).left(27, 28, LeaveOutcome.LEFT);

        passes(FIRST, leftBefore, THIRD);
        fails("overtaken", FIRST, leftLater, THIRD);
    }

    @Test
    void aWaiterThatIsNeverGrantedFails() {
        fails("never granted", FIRST, ClaimHistory.queued(KEY, 1, 13, 14));
    }

    @Test
    void aWaiterThatIsGrantedTwiceFails() {
        ClaimHistory twice = ClaimHistory.queued(KEY, 1, 13, 14)
                .granted(15, 101)
                .granted(16, 102)
                .ended(17, Ending.EXPIRED)
                .ended(18, Ending.EXPIRED);

        fails("granted more than once", FIRST, twice);
    }

    @Test
    void aWaiterThatIsGrantedAfterItHasLeftFails() {
        ClaimHistory gone = ClaimHistory.queued(KEY, 1, 3, 4)
                .left(5, 6, LeaveOutcome.LEFT)
                .granted(13, 101)
                .ended(17, Ending.EXPIRED);

        fails("granted although", FIRST, gone);
    }

    @Test
    void aRefusedClaimThatIsGrantedFails() {
        ClaimHistory refused =
                ClaimHistory.refused(KEY, 1, 13, 14).granted(15, 101).ended(17, Ending.EXPIRED);

        fails("granted although", FIRST, refused);
    }

    @Test
    void aWaiterThatIsNotifiedOfAGrantMustHaveIt() {
        ClaimHistory lost = ClaimHistory.queued(KEY, 1, 3, 4).left(5, 6, LeaveOutcome.GRANTED);

        assertThat(HistoryChecker.faults(List.of(FIRST, lost)))
                .anySatisfy(each -> assertThat(each).startsWith("said to be granted"));
        passes(FIRST, SECOND.left(14, 15, LeaveOutcome.GRANTED));
    }

    @Test
    void leavingWithoutAPlaceFails() {
        fails("left a queue", FIRST.left(5, 6, LeaveOutcome.GRANTED));
    }

    @Test
    void aFenceThatFallsFails() {
        ClaimHistory lower =
                ClaimHistory.held(KEY, 1, 13, 14, 99).released(20, 22).ended(21, Ending.RELEASED);

        fails("fence does not rise", FIRST, lower);
    }

    @Test
    void aFenceThatRepeatsFails() {
        ClaimHistory same =
                ClaimHistory.held(KEY, 1, 13, 14, 100).released(20, 22).ended(21, Ending.RELEASED);

        fails("fence does not rise", FIRST, same);
    }

    @Test
    void aFenceThatFallsFromHolderToWaiterFails() {
        ClaimHistory lower = ClaimHistory.queued(KEY, 1, 3, 4)
                .granted(13, 99)
                .released(20, 22)
                .ended(21, Ending.RELEASED);
        ClaimHistory first =
                ClaimHistory.held(KEY, 1, 1, 5, 100).released(10, 12).ended(11, Ending.RELEASED);

        fails("fence does not rise", first, lower);
    }

    @Test
    void fencesAreUnsigned() {
        ClaimHistory high =
                ClaimHistory.held(KEY, 1, 13, 14, -5).released(20, 22).ended(21, Ending.RELEASED);

        passes(FIRST, high);
    }

    @Test
    void anEndingWithoutANotificationFails() {
        fails("0 endings notified", ClaimHistory.held(KEY, 1, 1, 2, 100).alive(5));
    }

    @Test
    void anEndingThatIsNotifiedTwiceFails() {
        fails("2 endings notified", FIRST.ended(40, Ending.EXPIRED));
    }

    @Test
    void aReleaseThatIsNotifiedAfterItsAnswerFails() {
        fails(
                "not notified of its release",
                ClaimHistory.held(KEY, 1, 1, 2, 100).released(10, 12).ended(13, Ending.RELEASED));
        fails(
                "not notified of its release",
                ClaimHistory.held(KEY, 1, 1, 2, 100).released(10, 12).ended(11, Ending.EXPIRED));
    }

    @Test
    void aReleaseThatNobodyMadeFails() {
        fails("notified of a release", ClaimHistory.held(KEY, 1, 1, 2, 100).ended(11, Ending.RELEASED));
    }
}
