package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Grant;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.RenewResult;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.LostEvent;
import io.flockgate.client.LostReason;
import io.flockgate.client.tck.ScriptedBackend.Call;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The time for which a grant is alive, and its renewals. */
final class LeaseValidityTest extends ScriptedLeaseTest {
    @Test
    void aStalledProcessIsNotAliveAtTheNextRead() {
        Grant grant = acquired("one");
        clock.stall(VALIDITY.minus(INSTANT));
        assertThat(grant.isAlive()).isTrue();

        clock.stall(INSTANT);

        assertThat(lease.checkAlive()).as("although no timer has run").isFalse();
        assertThat(grant.isAlive()).isFalse();
        assertThat(lease.current()).isEmpty();
        assertThat(lease.remaining()).isZero();
        clock.advance(Duration.ZERO);
        assertThat(events).extracting(LostEvent::reason).containsExactly(LostReason.EXPIRED_LOCALLY);
    }

    @Test
    void aSuspendEndsTheGrantThoughTheTickerStoodStill() {
        acquired("one");

        clock.jumpWall(VALIDITY);

        assertThat(lease.remaining()).isZero();
        assertThat(lease.checkAlive()).isFalse();
        clock.advance(Duration.ZERO);
        assertThat(events).extracting(LostEvent::reason).containsExactly(LostReason.EXPIRED_LOCALLY);
    }

    @Test
    void theWorkLearnsOfALongSuspendWithinASecondOfWaking() {
        acquired("one");
        clock.jumpWall(TTL.multipliedBy(4));

        clock.advance(seconds(1));

        assertThat(events).extracting(LostEvent::reason).containsExactly(LostReason.EXPIRED_LOCALLY);
    }

    @ParameterizedTest
    @ValueSource(longs = {2, 26, 28, 3600})
    void aWallClockThatIsSetForwardCausesARenewalAtOnceAndNoLoss(long step) {
        Grant grant = acquired("one");
        clock.jumpWall(seconds(step));
        clock.advance(Duration.ofMillis(500));
        assertThat(server.renewals).hasSize(1);

        server.renew();
        clock.advance(seconds(5));

        assertThat(grant.isAlive()).isTrue();
        assertThat(grant.remaining()).isCloseTo(VALIDITY.minusSeconds(5), MILLISECONDS);
        assertThat(events).isEmpty();
        assertThat(server.renewals).hasSize(1);
    }

    @Test
    void aWallClockThatIsSlowlyCorrectedCausesNoRenewal() {
        acquired("one");
        clock.jumpWall(Duration.ofMillis(500));
        clock.advance(seconds(5));

        assertThat(server.renewals).isEmpty();
    }

    @Test
    void aSuspendIsNotSeenIfTheWallClockIsSwitchedOff() {
        Lease blind = leases.lease(
                LeaseOptions.named("other").ttl(TTL).wallClock(false).build());
        CompletionStage<Boolean> acquire = blind.acquire();
        server.grant("one");
        assertThat(now(acquire)).isTrue();

        clock.jumpWall(TTL.multipliedBy(10));

        assertThat(blind.checkAlive()).isTrue();
        assertThat(blind.remaining()).isEqualTo(VALIDITY);
    }

    @Test
    void aWallClockThatJumpsBackDoesNotProlongAGrant() {
        acquired("one");

        clock.jumpWall(TTL.multipliedBy(-10));

        assertThat(lease.checkAlive()).isTrue();
        assertThat(lease.remaining()).isEqualTo(VALIDITY);
        clock.stall(VALIDITY);
        assertThat(lease.checkAlive()).isFalse();
    }

    @Test
    void aDelayedReplyDoesNotMoveTheDeadline() {
        CompletionStage<Boolean> acquire = lease.acquire();
        clock.advance(seconds(4));
        server.grant("one");
        assertThat(now(acquire)).isTrue();

        assertThat(lease.remaining()).isEqualTo(VALIDITY.minusSeconds(4));
        clock.stall(VALIDITY.minusSeconds(4));
        assertThat(lease.checkAlive()).isFalse();
    }

    @Test
    void aDelayedRenewalCountsFromItsSending() {
        acquired("one");
        untilRenewal();
        clock.advance(seconds(4));
        server.renew();

        assertThat(lease.remaining()).isCloseTo(VALIDITY.minusSeconds(4), MILLISECONDS);
    }

    @Test
    void aReplyLaterThanTheTtlIsAFailureAndTheGrantIsGivenBack() {
        CompletionStage<Boolean> acquire = lease.acquire();
        clock.stall(TTL);

        server.grant("one");

        assertThat(lease.checkAlive()).isFalse();
        assertThat(server.releases).hasSize(1);
        assertThat(server.releases.get(0).request().token()).isEqualTo("one");
        server.release();
        assertThat(failure(acquire)).isInstanceOf(LeaseUnavailableException.class);
        assertThat(events).isEmpty();
    }

    @Test
    void aServerThatGivesLessTimeIsBelieved() {
        CompletionStage<Boolean> acquire = lease.acquire();
        server.grant("one", TTL.minusSeconds(5));
        assertThat(now(acquire)).isTrue();
        assertThat(lease.remaining()).isEqualTo(VALIDITY.minusSeconds(5));

        untilRenewal();
        ScriptedBackend.last(server.renewals).answer().complete(new RenewResult.Renewed(seconds(8)));

        assertThat(lease.remaining()).isCloseTo(seconds(5), MILLISECONDS);
        clock.advance(seconds(5));
        assertThat(events).as("told at the earlier deadline").hasSize(1);
    }

    @Test
    void aServerThatGivesMoreTimeIsNot() {
        CompletionStage<Boolean> acquire = lease.acquire();
        server.grant("one", TTL.multipliedBy(2));
        assertThat(now(acquire)).isTrue();

        assertThat(lease.remaining()).isEqualTo(VALIDITY);
    }

    @Test
    void unknownRenewalsAreSentAgainAndAGrantLivesOn() {
        Grant grant = acquired("one");
        untilRenewal();
        ScriptedBackend.last(server.renewals).fail();
        untilRenewal();
        ScriptedBackend.last(server.renewals).fail();
        untilRenewal();

        server.renew();

        assertThat(server.renewals).hasSize(3);
        assertThat(grant.remaining()).isCloseTo(VALIDITY, MILLISECONDS);
        clock.advance(VALIDITY.minus(INSTANT));
        assertThat(grant.isAlive()).isTrue();
        assertThat(events).isEmpty();
    }

    @Test
    void aRenewalWithoutAnAnswerIsSentAgainAfterItsTimeout() {
        acquired("one");
        untilRenewal();
        clock.advance(TIMEOUT);
        assertThat(server.renewals).hasSize(1);

        clock.advance(seconds(1));

        assertThat(server.renewals).hasSize(2);
    }

    @Test
    void unknownUntilTheDeadlineIsOneLossAtTheDeadline() {
        Grant grant = acquired("one");
        List<Duration> when = new ArrayList<>();
        long begun = clock.environment().ticker().nanos();
        lease.onLost(
                event -> when.add(Duration.ofNanos(clock.environment().ticker().nanos() - begun)));

        clock.advance(TTL.multipliedBy(2));

        assertThat(when).containsExactly(VALIDITY);
        assertThat(events).hasSize(1);
        assertThat(events.get(0).reason()).isEqualTo(LostReason.EXPIRED_LOCALLY);
        assertThat(events.get(0).grant()).isSameAs(grant);
        assertThat(now(grant.lost())).isSameAs(events.get(0));
        assertThat(server.renewals).as("of 5 s each, with pauses").hasSizeBetween(2, 4);
    }

    @Test
    void aLateSuccessDoesNotRevive() {
        Grant grant = acquired("one");
        untilRenewal();
        clock.stall(VALIDITY);

        server.renew();

        assertThat(grant.isAlive()).isFalse();
        clock.advance(Duration.ZERO);
        assertThat(events).extracting(LostEvent::reason).containsExactly(LostReason.EXPIRED_LOCALLY);
    }

    @Test
    void aLateSuccessIsGivenBackAfterTheMargin() {
        acquired("one");
        untilRenewal();
        clock.stall(VALIDITY);
        server.renew();

        clock.advance(MARGIN.minus(INSTANT));
        assertThat(server.releases).isEmpty();
        clock.advance(INSTANT);

        assertThat(server.releases).hasSize(1);
        assertThat(server.releases.get(0).request().token()).isEqualTo("one");
        server.release();
        clock.advance(TTL);
        assertThat(server.releases).as("given back once").hasSize(1);
        assertThat(clock.pendingTimers()).isZero();
    }

    @Test
    void aGrantWhoseTimePassedIsGivenBackAfterTheMargin() {
        acquired("one");
        clock.advance(VALIDITY.plus(MARGIN).minus(INSTANT));
        assertThat(events).hasSize(1);
        assertThat(server.releases).isEmpty();

        clock.advance(INSTANT);

        assertThat(server.releases)
                .as("the server may hold it longer than we do")
                .hasSize(1);
    }

    @Test
    void aRejectionIsALossAtOnce() {
        Grant grant = acquired("one");
        untilRenewal();

        server.reject();

        assertThat(grant.isAlive()).isFalse();
        assertThat(events).extracting(LostEvent::reason).containsExactly(LostReason.RENEWAL_REJECTED);
        clock.advance(TTL.multipliedBy(2));
        assertThat(server.renewals).as("no further renewal").hasSize(1);
        assertThat(server.releases).isEmpty();
        assertThat(events).hasSize(1);
        assertThat(clock.pendingTimers()).isZero();
    }

    @Test
    void oneRenewalIsUnderWayAtATime() {
        Grant grant = acquired("one");
        untilRenewal();
        CompletionStage<Boolean> ensured = grant.ensure(seconds(20));
        clock.advance(seconds(4));
        CompletionStage<Boolean> again = grant.ensure(seconds(20));

        assertThat(server.renewals).hasSize(1);
        server.renew();
        assertThat(now(ensured)).isTrue();
        assertThat(now(again)).isTrue();
        clock.advance(seconds(4));
        assertThat(server.renewals).hasSize(1);
    }

    @Test
    void aLateAnswerCountsForItsSending() {
        acquired("one");
        untilRenewal();
        Call<GrantRequest, RenewResult> first = ScriptedBackend.last(server.renewals);
        clock.advance(seconds(7));
        assertThat(server.renewals).hasSize(2);

        server.renew(first);

        assertThat(lease.remaining()).isCloseTo(VALIDITY.minusSeconds(7), MILLISECONDS);
        server.renew();
        assertThat(lease.remaining()).isGreaterThan(VALIDITY.minusSeconds(2));
        Duration best = lease.remaining();
        clock.advance(seconds(9));
        assertThat(lease.remaining()).isCloseTo(best.minusSeconds(9), MILLISECONDS);
    }

    @Test
    void anOlderAnswerDoesNotShortenANewerOne() {
        acquired("one");
        untilRenewal();
        Call<GrantRequest, RenewResult> first = ScriptedBackend.last(server.renewals);
        clock.advance(seconds(7));
        server.renew();
        Duration best = lease.remaining();

        server.renew(first);

        assertThat(lease.remaining()).isEqualTo(best);
    }

    @Test
    void renewalsFollowEachOtherForever() {
        acquired("one");
        for (int i = 0; i < 100; i++) {
            untilRenewal();
            server.renew();
        }

        assertThat(lease.checkAlive()).isTrue();
        assertThat(clock.pendingTimers()).as("one timer for all that is due").isEqualTo(1);
    }

    @Test
    void aGrantAfterALongWaitIsConfirmedBeforeItIsHandedOut() {
        CompletionStage<Optional<Grant>> acquire = lease.acquire(seconds(60));
        clock.advance(seconds(40));
        server.grant("one");

        assertThat(acquire.toCompletableFuture()).isNotDone();
        assertThat(lease.checkAlive()).isFalse();
        assertThat(server.renewals).hasSize(1);
        clock.advance(seconds(2));
        server.renew();

        Grant grant = now(acquire).orElseThrow();
        assertThat(grant.token()).isEqualTo("one");
        assertThat(grant.remaining()).isEqualTo(VALIDITY.minusSeconds(2));
    }

    @Test
    void aGrantThatCannotBeConfirmedIsGivenBack() {
        CompletionStage<Optional<Grant>> acquire = lease.acquire(seconds(60));
        clock.advance(seconds(40));
        server.grant("one");

        clock.advance(TTL);

        assertThat(server.renewals).as("tried again without an answer").hasSizeGreaterThan(2);
        assertThat(ScriptedBackend.last(server.releases).request().token()).isEqualTo("one");
        server.release();
        assertThat(failure(acquire)).isInstanceOf(LeaseUnavailableException.class);
        assertThat(clock.pendingTimers()).isZero();
    }

    @Test
    void aGrantThatEndedBeforeItsConfirmationIsAFailure() {
        CompletionStage<Optional<Grant>> acquire = lease.acquire(seconds(60));
        clock.advance(seconds(40));
        server.grant("one");

        server.reject();

        assertThat(failure(acquire))
                .isInstanceOfSatisfying(
                        LeaseUnavailableException.class,
                        failure -> assertThat(failure.mayHold()).isFalse());
        assertThat(clock.pendingTimers()).isZero();
    }

    @Test
    void ensureAsksOnlyIfTooLittleIsLeft() {
        Grant grant = acquired("one");

        assertThat(now(grant.ensure(VALIDITY))).isTrue();
        assertThat(server.renewals).isEmpty();
        clock.advance(seconds(1));
        CompletionStage<Boolean> ensured = grant.ensure(VALIDITY.minus(INSTANT));
        assertThat(ensured.toCompletableFuture()).isNotDone();
        server.renew();

        assertThat(now(ensured)).isTrue();
    }

    @Test
    void ensureIsFalseIfTheGrantIsLostOrReleased() {
        Grant grant = acquired("one");
        clock.advance(seconds(1));
        CompletionStage<Boolean> ensured = grant.ensure(VALIDITY);
        server.reject();
        assertThat(now(ensured)).isFalse();
        assertThat(now(grant.ensure(seconds(1)))).isFalse();

        Grant second = acquired("two");
        clock.advance(seconds(1));
        CompletionStage<Boolean> cutShort = second.ensure(VALIDITY);
        lease.release();
        assertThat(now(cutShort)).as("though no answer came").isFalse();
    }

    @Test
    void ensureRefusesMoreThanARenewalGives() {
        Grant grant = acquired("one");

        assertThat(failure(grant.ensure(VALIDITY.plus(INSTANT)))).isInstanceOf(LeaseConfigException.class);
    }
}
