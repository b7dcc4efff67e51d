package io.flockgate.cluster.campaign;

import static io.flockgate.cluster.campaign.AttemptBuilder.lock;
import static io.flockgate.cluster.campaign.AttemptBuilder.lockAt;
import static io.flockgate.cluster.campaign.AttemptBuilder.nanos;
import static io.flockgate.cluster.campaign.AttemptBuilder.slot;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cluster.campaign.Disturbance.Kind;
import io.flockgate.cluster.campaign.Fault.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The check turns red for each kind of broken history, and stays green where a fault excuses what
 * is seen.
 */
class HistoryCheckTest {
    private static final Bounds BOUNDS = Bounds.ofTtl(Duration.ofSeconds(6));

    private final List<Disturbance> disturbances = new ArrayList<>();
    private final List<History.Loss> losses = new ArrayList<>();
    private final List<History.Last> last = new ArrayList<>();

    private void disturbed(Kind kind, long from, long to, Integer... gateways) {
        disturbances.add(new Disturbance(kind, Set.of(gateways), nanos(from), nanos(to)));
    }

    private Set<Rule> rules(AttemptBuilder... attempts) {
        History history =
                new History(Arrays.stream(attempts).map(AttemptBuilder::made).toList(), disturbances, losses, last);
        Set<Rule> rules = EnumSet.noneOf(Rule.class);
        HistoryCheck.faults(history, BOUNDS).forEach(each -> rules.add(each.rule()));
        return rules;
    }

    private void red(Rule rule, AttemptBuilder... attempts) {
        assertThat(rules(attempts)).containsExactly(rule);
    }

    private void green(AttemptBuilder... attempts) {
        assertThat(rules(attempts)).isEmpty();
    }

    @Test
    void holdersThatFollowEachOtherAreFine() {
        green(
                lock().acquired(0, 10, 1).released(100, 110),
                lock().queued(20, 30)
                        .waited(40, 105, 2)
                        .renewed(110, 120, Answer.OK, 60)
                        .released(200, 210),
                lock().notAcquired(150, 5150, Answer.TIMEOUT));
    }

    @Test
    void nothingGrantedShowsNothing() {
        red(Rule.SOMETHING, lock().notAcquired(0, 1, Answer.TIMEOUT));
    }

    @Test
    void twoHoldersOfALock() {
        red(
                Rule.LIMIT,
                lock().acquired(0, 10, 1).released(100, 110),
                lock().acquired(20, 99, 2).released(101, 110));
    }

    @Test
    void threeHoldersOfTwoSlots() {
        red(
                Rule.LIMIT,
                slot(2).acquired(0, 10, 1).released(100, 110),
                slot(2).acquired(0, 20, 2).released(100, 110),
                slot(2).acquired(0, 30, 3).released(100, 110));
    }

    @Test
    void aSlotIsCertainlyHeldOnlyUntilItsReleaseIsBegun() {
        green(
                lock().acquired(0, 10, 1).released(50, 110),
                lock().acquired(20, 60, 2).released(100, 110));
    }

    @Test
    void aSlotIsCertainlyHeldUntilItsLeaseMayHaveEnded() {
        green(
                lock().acquired(0, 10, 1, 1).closed(5000),
                lock().acquired(20, 1001, 2).released(1100, 1110));
        red(
                Rule.LIMIT,
                lock().acquired(0, 10, 1, 1).closed(5000),
                lock().acquired(20, 900, 2).released(1100, 1110));
    }

    @Test
    void aRenewalKeepsASlotForItsLease() {
        red(
                Rule.LIMIT,
                lock().acquired(0, 10, 1, 1).renewed(500, 510, Answer.OK, 4).closed(6000),
                lock().acquired(20, 4400, 2).released(4600, 4610));
        green(
                lock().acquired(0, 10, 1, 60).renewed(500, 510, Answer.OK, 1).closed(6000),
                lock().acquired(20, 1501, 2).released(4600, 4610));
    }

    @Test
    void aSlotEndsWithItsConnection() {
        green(lock().acquired(0, 10, 1).closed(50), lock().acquired(20, 51, 2).released(100, 110));
    }

    @Test
    void aSlotEndsWithTheDeathOrPauseOfItsGatewayOnly() {
        disturbed(Kind.GATEWAY_PAUSED, 50, 20_000, 0);
        green(
                lock().acquired(0, 10, 1).released(30_000, 30_010, Answer.ERROR),
                lockAt(1).acquired(20, 15_000, 2).released(16_000, 16_010));
        red(
                Rule.LIMIT,
                lockAt(1).acquired(0, 10, 1).released(30_000, 30_010),
                lockAt(2).acquired(20, 15_000, 2).released(16_000, 16_010));
    }

    @Test
    void aRenewalThroughAnotherGatewayOutlivesTheGatewayOfTheGrant() {
        disturbed(Kind.GATEWAY_KILLED, 50, 20_000, 0);
        red(
                Rule.LIMIT,
                lock().acquired(0, 10, 1).broken(60).renewedThrough(1, 100, 110).released(18_000, 18_010),
                lockAt(2).acquired(20, 15_000, 2).released(16_000, 16_010));
    }

    /** Its gateway could not reach Consul, and carries out the release when it can. */
    @Test
    void aReleaseWithoutAnAnswerMayEndASlotLaterUnlessItsGatewayWasKilled() {
        AttemptBuilder renewed = lock().acquired(0, 10, 1)
                .released(40, 60, Answer.NONE)
                .broken(60)
                .renewedThrough(1, 100, 110)
                .released(18_000, 18_010);
        AttemptBuilder next = lockAt(2).acquired(20, 2_500, 2).released(3_000, 3_010);
        disturbed(Kind.GATEWAY_PAUSED, 20, 2_400, 0);
        green(renewed, next);
        disturbed(Kind.GATEWAY_KILLED, 50, 20_000, 0);
        red(Rule.LIMIT, renewed, next);
    }

    @Test
    void aSlotEndsWhenAllEntriesAreDeleted() {
        disturbed(Kind.EMPTIED, 50, 3_000, 0, 1);
        green(
                lock().acquired(0, 10, 1).released(5_000, 5_010, Answer.ERROR),
                lockAt(1).acquired(20, 4_000, 2).released(6_000, 6_010));
    }

    @Test
    void aGatewayRefusesForASessionsTimeLongerWhenItsRecordWasMadeAgain() {
        disturbed(Kind.QUORUM_LOST, 8_000, 14_000, 0, 1);
        AttemptBuilder granted = lock().acquired(0, 10, 1).released(20, 30);
        red(Rule.ANSWER, granted, lock().notAcquired(21_000, 21_010, Answer.ERROR));
        disturbed(Kind.EMPTIED, 50, 3_000, 0, 1);
        green(granted, lock().notAcquired(21_000, 21_010, Answer.ERROR));
        red(Rule.ANSWER, granted, lock().notAcquired(27_000, 27_010, Answer.ERROR));
    }

    @Test
    void aSlotThatWasBelievedInAfterAPause() {
        disturbed(Kind.GATEWAY_PAUSED, 50, 20_000, 0);
        red(
                Rule.LIMIT,
                lock().acquired(0, 10, 1).renewed(21_000, 21_010, Answer.OK, 60).released(30_000, 30_010),
                lockAt(1).acquired(20, 15_000, 2).released(25_000, 25_010));
    }

    @Test
    void aGatewayMayGiveUpASessionBeforeOthersAreGrantedAndNotAfter() {
        disturbed(Kind.NO_WRITES, 50, 9_000, 0);
        losses.add(new History.Loss(0, nanos(6_000)));
        green(
                lock().acquired(0, 10, 1).closed(50_000),
                lockAt(1).acquired(20, 7_000, 2).released(16_000, 16_010));
        red(
                Rule.LIMIT,
                lock().acquired(0, 10, 1).closed(50_000),
                lockAt(1).acquired(20, 5_000, 2).released(16_000, 16_010));
    }

    @Test
    void anAgentThatLeavesExcusesErrorsAndLossesButNoSecondHolder() {
        disturbed(Kind.AGENT_LEFT_UNHEARD, 15, 9_000, 0);
        losses.add(new History.Loss(0, nanos(6_000)));
        green(
                lock().acquired(0, 10, 1).closed(50_000),
                lock().notAcquired(20, 30, Answer.ERROR),
                lockAt(1).acquired(20, 5_100, 2).released(16_000, 16_010));
        red(
                Rule.LIMIT,
                lock().acquired(0, 10, 1).closed(50_000),
                lockAt(1).acquired(20, 4_900, 2).released(16_000, 16_010));
    }

    @Test
    void oneFenceForTwoGrants() {
        red(
                Rule.FENCE,
                lock().acquired(0, 10, 1).released(20, 30),
                lock().acquired(5, 40, 1).released(50, 60));
    }

    @Test
    void aFenceThatFallsFromOneGrantToTheNextRequest() {
        red(
                Rule.FENCE,
                slot(2).acquired(0, 10, 2).released(20, 30),
                slot(2).acquired(15, 40, 1).released(50, 60));
    }

    @Test
    void aFenceThatFallsFromOneHolderToTheNext() {
        red(
                Rule.FENCE,
                lock().acquired(0, 10, 2).released(20, 30),
                lock().acquired(5, 40, 1).released(50, 60));
    }

    @Test
    void fencesOfOneMomentMayComeInAnyOrder() {
        green(
                slot(2).acquired(0, 10, 2).released(20, 30),
                slot(2).acquired(5, 40, 1).released(50, 60));
    }

    @Test
    void aWaiterThatIsOvertakenAndGrantedLater() {
        AttemptBuilder holder = lock().acquired(0, 10, 1).released(500, 510);
        AttemptBuilder first = lock().queued(20, 30).waited(40, 800, 3).released(900, 910);
        AttemptBuilder second = lock().acquired(50, 520, 2).released(600, 610);
        red(Rule.ORDER, holder, first, second);
        disturbed(Kind.NO_WRITES, 300, 400, 1);
        red(Rule.ORDER, holder, first, second);
        disturbed(Kind.NO_WRITES, 300, 400, 0);
        green(holder, first, second);
    }

    @Test
    void aWaiterMayBeOvertakenWhenTheAgentOfItsGatewayHasJustComeBack() {
        AttemptBuilder holder = lock().acquired(10_000, 10_010, 1).released(10_500, 10_510);
        AttemptBuilder first =
                lock().queued(10_020, 10_030).waited(10_040, 10_800, 3).released(10_900, 10_910);
        AttemptBuilder second = lock().acquired(10_050, 10_520, 2).released(10_600, 10_610);
        disturbed(Kind.NO_WRITES, 0, 9_000, 0);
        red(Rule.ORDER, holder, first, second);
        disturbed(Kind.AGENT_LEFT, 0, 9_000, 0);
        green(holder, first, second);
    }

    @Test
    void aWaiterThatIsOvertakenAndNeverGranted() {
        red(
                Rule.ORDER,
                lock().acquired(0, 10, 1).released(500, 510),
                lock().queued(20, 30).waitedInVain(40, 5041, 5),
                lock().acquired(50, 520, 2).released(600, 610),
                lock().acquired(610, 620, 3).released(5100, 5110));
    }

    @Test
    void whoLeavesIsNotOvertakenNorWhoMayNotBeQueuedYet() {
        green(
                lock().acquired(0, 10, 1).released(1500, 1510),
                lock().queued(20, 30).waitedInVain(40, 1041, 1),
                lock().queued(20, 30).closed(1400),
                lock().queued(20, 60).waited(70, 2000, 3).released(2100, 2110),
                lock().acquired(50, 1520, 2).released(1600, 1610));
    }

    @Test
    void whoMayHaveBeenGrantedUnseenIsNotOvertaken() {
        green(
                slot(2).acquired(0, 10, 1).released(15, 20),
                slot(2).queued(5, 12).waitedAndLost(600, 700),
                slot(2).queued(5, 12).closed(600),
                slot(2).acquired(30, 40, 3).released(50, 60));
    }

    @Test
    void aFreeKeyWithAWaiterForLong() {
        AttemptBuilder[] attempts = {
            lock().acquired(0, 10, 1).released(100, 110),
            lock().queued(50, 60).waited(70, 9_000, 2).released(9_100, 9_110)
        };
        red(Rule.GAP, attempts);
        disturbed(Kind.LATENCY, 0, 2_000);
        red(Rule.GAP, attempts);
        disturbed(Kind.GATEWAY_KILLED, 0, 2_000, 2);
        green(attempts);
    }

    @Test
    void aFreeSlotBesideAHeldOneForLong() {
        red(
                Rule.GAP,
                slot(2).acquired(0, 10, 1).released(19_000, 19_010),
                slot(2).acquired(0, 10, 2).released(100, 110),
                slot(2).queued(50, 60).waited(70, 9_000, 3).released(9_100, 9_110));
    }

    @Test
    void aFreeKeyForLongerThanSessionsLiveWhateverWasWrong() {
        disturbed(Kind.GATEWAY_KILLED, 0, 2_000, 2);
        AttemptBuilder holder = lock().acquired(0, 10, 1).released(100, 110);
        AttemptBuilder waiter = lock().queued(50, 60).waited(90_000, 100_000, 2).released(100_100, 100_110);
        red(Rule.GAP, holder, waiter);
        disturbed(Kind.NO_WRITES, 3_000, 70_000, 0);
        disturbed(Kind.NO_WRITES, 3_000, 70_000, 1);
        green(holder, waiter);
    }

    /** The new leader restarts the time of the dead gateway's sessions. */
    @Test
    void aFreeKeyForLongerThanSessionsLiveBecauseALeaderWasElected() {
        disturbed(Kind.GATEWAY_KILLED, 0, 2_000, 2);
        AttemptBuilder holder = lock().acquired(0, 10, 1).released(100, 110);
        AttemptBuilder waiter = lock().queued(50, 60).waited(49_000, 49_010, 2).released(49_100, 49_110);
        red(Rule.GAP, holder, waiter);
        disturbed(Kind.SERVER_KILLED, 18_000, 22_000, 0);
        red(Rule.GAP, holder, waiter);
        disturbed(Kind.LEADER_KILLED, 18_000, 22_000, 0);
        green(holder, waiter);
    }

    @Test
    void aGrantThatIsTakenAway() {
        red(Rule.TAKEN, lock().acquired(0, 10, 1).renewed(100, 110, Answer.ERROR, 60));
        red(Rule.TAKEN, lock().acquired(0, 10, 1).released(100, 110, Answer.ERROR));
        green(lock().acquired(0, 10, 1, 1).released(1_000, 1_010, Answer.ERROR));
        disturbed(Kind.SERVER_KILLED, 50, 60, 0);
        green(lock().acquired(0, 10, 1).renewed(100, 110, Answer.ERROR, 60));
    }

    @Test
    void aLeaseThatHasEndedIsRenewed() {
        red(
                Rule.LEASE,
                lock().acquired(0, 10, 1, 1)
                        .renewed(1_020, 1_030, Answer.OK, 60)
                        .released(1_100, 1_110));
    }

    @Test
    void aSessionThatIsLostWithoutAReason() {
        AttemptBuilder fine = lock().acquired(0, 10, 1).released(20, 30);
        losses.add(new History.Loss(0, nanos(40_000)));
        red(Rule.LOSS, fine);
        disturbed(Kind.NO_WRITES, 30_000, 36_000, 0);
        green(fine);
    }

    @Test
    void anAnswerThatIsAnErrorOrComesLateOrNever() {
        AttemptBuilder fine = lock().acquired(0, 10, 1).released(20, 30);
        AttemptBuilder error = lock().notAcquired(100, 110, Answer.ERROR);
        AttemptBuilder never = lock().notAcquired(100, 110, Answer.NONE).broken(110);
        AttemptBuilder late = lock().notAcquired(100, 25_200, Answer.TIMEOUT);
        red(Rule.ANSWER, fine, error);
        red(Rule.ANSWER, fine, never);
        assertThat(rules(fine, late)).contains(Rule.ANSWER);
        green(fine, lock().notAcquired(100, 110, Answer.NONE).closed(105));
        disturbed(Kind.GATEWAY_KILLED, 90, 105, 0);
        green(fine, error, never);
    }

    /** The other gateway may have taken the grant over, and ended it since. */
    @Test
    void aConnectionThatIsClosedAfterARenewalElsewhereWithoutAResult() {
        AttemptBuilder[] closed = Stream.of(Answer.OK, Answer.ERROR)
                .map(renewal -> lock().acquired(0, 10, 1)
                        .renewedThrough(1, 20, 5_000, renewal)
                        .released(5_010, 5_011, Answer.NONE)
                        .broken(5_011))
                .toArray(AttemptBuilder[]::new);
        disturbed(Kind.GATEWAY_PAUSED, 15, 4_900, 1);
        red(Rule.ANSWER, closed[0]);
        green(closed[1]);
    }

    @Test
    void aKeyThatIsNotFreeAtTheEnd() {
        last.add(new History.Last("key", nanos(22_000), false));
        red(Rule.LIVENESS, lock().acquired(0, 10, 1).released(20, 30));
    }
}
