package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each check catches its fault, and a history without that fault passes. */
class HistoryCheckerTest {
    private static final ClaimHistory FIRST = released(10, held(1, 2, 100));
    private static final ClaimHistory SECOND = released(20, queued(3, 4).granted(13, 101));
    private static final ClaimHistory THIRD = released(30, queued(5, 6).granted(23, 102));

    private static ClaimHistory held(long asked, long answered, long fence) {
        return ClaimHistory.held("k", 1, asked, answered, fence);
    }

    private static ClaimHistory queued(long asked, long answered) {
        return ClaimHistory.queued("k", 1, asked, answered);
    }

    private static ClaimHistory refused(long asked, long answered) {
        return ClaimHistory.refused("k", 1, asked, answered);
    }

    /** Released from this moment on, notified at the next one, and answered at the one after. */
    private static ClaimHistory released(long begun, ClaimHistory claim) {
        return claim.released(begun, begun + 2).ended(begun + 1, Ending.RELEASED);
    }

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
    void aHistoryWithoutFaultPassesAndOneThatShowsNothingFails() {
        passes(FIRST, SECOND, THIRD);
        passes(THIRD, SECOND, FIRST, refused(7, 8));
        fails("nothing was granted");
        fails("nothing was granted", refused(1, 2));
    }

    @Test
    void moreHoldersThanSlotsFail() {
        fails("holder number 2", FIRST, released(20, queued(3, 4).granted(9, 101)));
        passes(FIRST, released(14, ClaimHistory.held("other", 1, 3, 4, 101)));

        ClaimHistory[] ofTwo = new ClaimHistory[3];
        for (int i = 0; i < 3; i++) {
            ofTwo[i] = ClaimHistory.held("k", 2, 10 * i + 1, 10 * i + 2, 100 + i)
                    .released(50 + i, 70 + i)
                    .ended(60 + i, Ending.RELEASED);
        }
        passes(ofTwo[0], ofTwo[1]);
        fails("holder number 3", ofTwo);
    }

    @Test
    void onlyARenewalProvesAHolderWhoseLeaseEnds() {
        ClaimHistory renewed = held(1, 2, 100).alive(30).ended(40, Ending.EXPIRED);

        passes(renewed);
        fails("holder number 2", renewed, SECOND);
        passes(held(1, 2, 100).ended(40, Ending.EXPIRED), SECOND);
    }

    @Test
    void aGrantBeforeThatOfAnEarlierWaiterFails() {
        ClaimHistory late = released(30, queued(3, 4).granted(23, 102));
        fails("overtaken", FIRST, late, released(20, queued(5, 6).granted(13, 101)));
        fails("overtaken", FIRST, late, released(20, held(14, 15, 101)));

        ClaimHistory atTheSameTime = released(30, queued(3, 6).granted(23, 102));
        passes(FIRST, atTheSameTime, released(20, queued(4, 5).granted(13, 101)));
    }

    @Test
    void aGrantPastOneThatLeavesOnlyLaterFails() {
        passes(FIRST, queued(3, 4).left(7, 8, LeaveOutcome.LEFT), THIRD);
        fails("overtaken", FIRST, queued(3, 4).left(27, 28, LeaveOutcome.LEFT), THIRD);
    }

    @Test
    void everyWaiterIsGrantedOnceUnlessItHasLeft() {
        fails("never granted", FIRST, queued(13, 14));
        ClaimHistory twice = queued(13, 14).granted(15, 101).granted(16, 102);
        fails("granted more than once", FIRST, twice.ended(17, Ending.EXPIRED).ended(18, Ending.EXPIRED));
        ClaimHistory gone = queued(3, 4).left(5, 6, LeaveOutcome.LEFT);
        fails("granted although", FIRST, gone.granted(13, 101).ended(17, Ending.EXPIRED));
        fails("granted although", FIRST, refused(13, 14).granted(15, 101).ended(17, Ending.EXPIRED));
    }

    @Test
    void aWaiterThatIsNotifiedOfAGrantMustHaveIt() {
        ClaimHistory lost = queued(3, 4).left(5, 6, LeaveOutcome.GRANTED);

        assertThat(HistoryChecker.faults(List.of(FIRST, lost)))
                .anySatisfy(each -> assertThat(each).startsWith("said to be granted"));
        passes(FIRST, SECOND.left(14, 15, LeaveOutcome.GRANTED));
        fails("left a queue", FIRST.left(5, 6, LeaveOutcome.GRANTED));
    }

    @Test
    void aFenceThatFallsOrRepeatsFails() {
        fails("fence does not rise", FIRST, released(20, held(13, 14, 99)));
        fails("fence does not rise", FIRST, released(20, held(13, 14, 100)));
        fails(
                "fence does not rise",
                released(10, held(1, 5, 100)),
                released(20, queued(3, 4).granted(13, 99)));
        passes(FIRST, released(20, held(13, 14, -5)));
    }

    @Test
    void everyEndingIsNotifiedOnceAndThatOfAReleaseBeforeItsAnswer() {
        fails("0 endings notified", held(1, 2, 100).alive(5));
        fails("2 endings notified", FIRST.ended(40, Ending.EXPIRED));
        ClaimHistory unnoticed = held(1, 2, 100).released(10, 12);
        fails("not notified of its release", unnoticed.ended(13, Ending.RELEASED));
        fails("not notified of its release", unnoticed.ended(11, Ending.EXPIRED));
        fails("notified of a release", held(1, 2, 100).ended(11, Ending.RELEASED));
    }
}
