package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Grant;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseAuthException;
import io.flockgate.client.LeaseClosedException;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseReleaseException;
import io.flockgate.client.LeaseUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Acquire, release and close of a lease, in every order. */
final class ManagedLeaseTest extends ScriptedLeaseTest {
    @Test
    void concurrentAcquiresJoinOneRequest() {
        CompletionStage<Optional<Grant>> first = lease.acquireWithToken();
        CompletionStage<Optional<Grant>> second = lease.acquire(seconds(10));
        assertThat(server.acquires).hasSize(1);

        server.grant("one");

        assertThat(now(second).orElseThrow()).isSameAs(now(first).orElseThrow());
    }

    @Test
    void anAcquireOfAHeldLeaseSendsNothing() {
        Grant grant = acquired("one");

        assertThat(now(lease.acquireWithToken())).containsSame(grant);

        assertThat(server.acquires).hasSize(1);
        assertThat(server.renewals).isEmpty();
    }

    @Test
    void anAcquireOfALostLeaseAsksTheServer() {
        Grant old = acquired("one");
        clock.stall(TTL.multipliedBy(2));
        CompletionStage<Optional<Grant>> acquire = lease.acquireWithToken();
        clock.advance(Duration.ZERO);
        assertThat(events).as("told although the next attempt runs").hasSize(1);

        server.grant("two");

        assertThat(now(acquire).map(Grant::token)).contains("two");
        assertThat(old.isAlive()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("waysToGiveUp")
    void aCallerThatGivesUpWithdrawsItsClaim(Consumer<CompletableFuture<?>> giveUp) {
        CompletionStage<Optional<Grant>> acquire = lease.acquire(seconds(60));

        giveUp.accept(acquire.toCompletableFuture());

        assertThat(ScriptedBackend.last(server.acquires).request().abandoned().toCompletableFuture())
                .isDone();
        server.grant("late");
        assertThat(lease.checkAlive()).isFalse();
        assertThat(ScriptedBackend.last(server.releases).request().token()).isEqualTo("late");
        server.release();
        assertThat(clock.pendingTimers()).isZero();
    }

    static List<Consumer<CompletableFuture<?>>> waysToGiveUp() {
        return List.of(
                future -> future.cancel(true),
                future -> future.completeExceptionally(new TimeoutException("as orTimeout does")));
    }

    @Test
    void anAcquireWithoutAWaitIsWithdrawnAsWell() {
        lease.acquire().toCompletableFuture().cancel(false);

        server.grant("late");

        assertThat(lease.checkAlive()).isFalse();
        assertThat(server.releases).hasSize(1);
    }

    @Test
    void theOthersThatJoinedAnAttemptKeepIt() {
        CompletionStage<Optional<Grant>> first = lease.acquire(seconds(60));
        CompletionStage<Optional<Grant>> second = lease.acquire(seconds(60));

        first.toCompletableFuture().cancel(true);
        server.grant("one");

        assertThat(now(second)).isPresent();
        assertThat(lease.checkAlive()).isTrue();
        second.toCompletableFuture().cancel(true);
        assertThat(lease.checkAlive()).as("it is the caller's by now").isTrue();
    }

    @Test
    void aClaimThatHasNotBegunIsWithdrawn() {
        CompletionStage<Boolean> unknown = lease.acquire();
        clock.advance(TIMEOUT);
        CompletionStage<Boolean> next = lease.acquire();

        next.toCompletableFuture().cancel(true);
        server.refuse();

        assertThat(failure(unknown)).isInstanceOf(LeaseUnavailableException.class);
        assertThat(server.acquires).hasSize(1);
        assertThat(clock.pendingTimers()).isZero();
    }

    @Test
    void contentionIsANo() {
        CompletionStage<Boolean> acquire = lease.acquire();
        server.refuse();

        assertThat(now(acquire)).isFalse();
        assertThat(clock.pendingTimers()).isZero();
    }

    @Test
    void aNoIsAskedAgainAsOftenAsTheOptionsSay() {
        Lease stubborn = leases.lease(
                LeaseOptions.named("job").ttl(TTL).acquireRetries(2, seconds(1)).build());
        CompletionStage<Boolean> acquire = stubborn.acquire();
        for (int asked = 1; asked <= 3; asked++) {
            assertThat(server.acquires).hasSize(asked);
            assertThat(acquire.toCompletableFuture()).isNotDone();
            server.refuse();
            clock.advance(Duration.ofMillis(499));
            assertThat(server.acquires).as("pauses vary by a half").hasSize(asked);
            clock.advance(seconds(1).plus(MILLISECONDS));
        }

        assertThat(now(acquire)).isFalse();
        assertThat(server.acquires).hasSize(3);
    }

    @Test
    void aReleaseBetweenTwoQuestionsEndsTheAttempt() {
        Lease stubborn = leases.lease(
                LeaseOptions.named("job").ttl(TTL).acquireRetries(2, seconds(1)).build());
        CompletionStage<Boolean> acquire = stubborn.acquire();
        server.refuse();

        now(stubborn.release());

        assertThat(now(acquire)).isFalse();
        assertThat(clock.pendingTimers()).isZero();
        clock.advance(TTL);
        assertThat(server.acquires).hasSize(1);
    }

    @Test
    void noAnswerIsUnknownAndALateGrantIsGivenBack() {
        CompletionStage<Boolean> acquire = lease.acquire();
        clock.advance(TIMEOUT);
        assertThat(failure(acquire))
                .isInstanceOfSatisfying(
                        LeaseUnavailableException.class,
                        failure -> assertThat(failure.mayHold()).isTrue());

        server.grant("late");

        assertThat(lease.checkAlive()).isFalse();
        assertThat(server.releases.get(0).request().token()).isEqualTo("late");
        server.release();
        assertThat(clock.pendingTimers()).isZero();
    }

    @Test
    void theNextAttemptWaitsUntilNothingIsLeftOfTheFormer() {
        CompletionStage<Boolean> unknown = lease.acquire();
        clock.advance(TIMEOUT);
        assertThat(failure(unknown)).isInstanceOf(LeaseUnavailableException.class);
        CompletionStage<Boolean> next = lease.acquire();
        assertThat(server.acquires).hasSize(1);
        server.grant("late");
        assertThat(server.acquires).hasSize(1);

        server.release();

        assertThat(server.acquires).hasSize(2);
        server.grant("two");
        assertThat(now(next)).isTrue();
    }

    @Test
    void theNextAttemptWaitsNoLongerThanTheServerCanHoldAGrant() {
        CompletionStage<Boolean> unknown = lease.acquire();
        clock.advance(TIMEOUT);
        assertThat(failure(unknown)).isInstanceOf(LeaseUnavailableException.class);
        CompletionStage<Boolean> next = lease.acquire();

        clock.advance(TTL);
        assertThat(server.acquires).hasSize(1);
        clock.advance(MARGIN.plus(TIMEOUT));

        assertThat(server.acquires).hasSize(2);
        server.refuse();
        assertThat(now(next)).isFalse();
        assertThat(clock.pendingTimers()).isZero();
    }

    @Test
    void aNoThatMayMeanOurselvesIsUnknown() {
        CompletionStage<Boolean> unknown = lease.acquire();
        server.acquires.get(0).fail();
        assertThat(failure(unknown)).isInstanceOf(LeaseUnavailableException.class);
        CompletionStage<Boolean> next = lease.acquire();
        server.refuse();

        assertThat(failure(next)).isInstanceOf(LeaseUnavailableException.class);
        clock.advance(TTL.plus(MARGIN).plus(TIMEOUT));
        CompletionStage<Boolean> later = lease.acquire();
        server.refuse();
        assertThat(now(later)).as("nothing of ours can be left").isFalse();
    }

    @Test
    void aRefusalOfTheClientIsPassedOn() {
        CompletionStage<Boolean> acquire = lease.acquire();
        server.acquires.get(0).answer().completeExceptionally(new LeaseAuthException("wrong token"));

        assertThat(failure(acquire)).isInstanceOf(LeaseAuthException.class);
        CompletionStage<Boolean> next = lease.acquire();
        server.refuse();
        assertThat(now(next)).isFalse();
    }

    @Test
    void aReleaseDuringAnAcquireGivesALateGrantBack() {
        CompletionStage<Boolean> acquire = lease.acquire();
        CompletionStage<Void> release = lease.release();

        assertThat(now(acquire)).isFalse();
        assertThat(now(server.acquires.get(0).request().abandoned())).isNull();
        assertThat(release.toCompletableFuture()).isNotDone();
        server.grant("late");
        assertThat(lease.checkAlive()).isFalse();
        assertThat(release.toCompletableFuture()).isNotDone();
        server.release();
        now(release);
        assertThat(server.releases.get(0).request().token()).isEqualTo("late");
        assertThat(clock.pendingTimers()).isZero();
    }

    @Test
    void aReleaseEndsAnAcquireThatWaitsForAFormerAttempt() {
        CompletionStage<Boolean> unknown = lease.acquire();
        clock.advance(TIMEOUT);
        assertThat(failure(unknown)).isInstanceOf(LeaseUnavailableException.class);
        CompletionStage<Boolean> waiting = lease.acquire();

        CompletionStage<Void> release = lease.release();
        server.refuse();

        now(release);
        assertThat(now(waiting)).isFalse();
        assertThat(server.acquires).as("nothing begins after the release").hasSize(1);
        assertThat(clock.pendingTimers()).isZero();
    }

    @Test
    void aReleaseDuringAnAcquireEndsWithItsNo() {
        CompletionStage<Boolean> acquire = lease.acquire(seconds(20)).thenApply(Optional::isPresent);
        CompletionStage<Void> release = lease.release();
        server.refuse();

        now(release);
        assertThat(now(acquire)).isFalse();
        assertThat(clock.pendingTimers()).isZero();
    }

    @Test
    void aReleaseDuringTheConfirmationGivesTheGrantBack() {
        CompletionStage<Optional<Grant>> acquire = lease.acquire(seconds(60));
        clock.advance(seconds(40));
        server.grant("one");
        CompletionStage<Void> release = lease.release();
        assertThat(now(acquire)).isEmpty();
        server.renew();
        assertThat(server.releases).hasSize(1);
        server.release();

        now(release);
        assertThat(lease.checkAlive()).isFalse();
        assertThat(clock.pendingTimers()).isZero();
    }

    @Test
    void aCloseDuringAnAcquireGivesALateGrantBack() {
        CompletionStage<Boolean> acquire = lease.acquire();
        CompletionStage<Void> close = lease.closeAsync();
        assertThat(failure(acquire)).isInstanceOf(LeaseClosedException.class);
        server.grant("late");
        server.release();

        now(close);
        assertThat(server.releases.get(0).request().token()).isEqualTo("late");
        assertThat(clock.pendingTimers()).isZero();
    }

    @Test
    void aReleaseEndsRenewalsAndTimers() {
        Grant grant = acquired("one");
        CompletionStage<Void> release = lease.release();

        assertThat(grant.isAlive()).as("before the server answers").isFalse();
        assertThat(server.subscriptions()).isZero();
        server.release();
        now(release);
        assertThat(clock.pendingTimers()).isZero();
        clock.advance(TTL.multipliedBy(3));
        assertThat(server.renewals).isEmpty();
        assertThat(server.releases).hasSize(1);
    }

    @Test
    void aReleaseWhileARenewalIsUnderWayLeavesNoTimer() {
        acquired("one");
        untilRenewal();
        CompletionStage<Void> release = lease.release();
        server.release();

        now(release);
        assertThat(clock.pendingTimers()).isZero();
        server.renew();
        clock.advance(TTL);
        assertThat(server.releases).as("given back already").hasSize(1);
        assertThat(events).isEmpty();
    }

    @Test
    void aCloseEndsRenewalsAndTimers() {
        acquired("one");
        untilRenewal();
        CompletionStage<Void> close = lease.closeAsync();
        assertThat(lease.checkAlive()).isFalse();
        server.release();

        now(close);
        now(lease.closeAsync());
        assertThat(clock.pendingTimers()).isZero();
        assertThat(failure(lease.acquire())).isInstanceOf(LeaseClosedException.class);
        assertThat(server.releases).hasSize(1);
    }

    @Test
    void anUnconfirmedReleaseFailsAndGoesOn() {
        acquired("one");
        CompletionStage<Void> release = lease.release();
        server.releases.get(0).fail();
        clock.advance(TIMEOUT.minus(INSTANT));
        assertThat(release.toCompletableFuture()).isNotDone();
        clock.advance(INSTANT);

        assertThat(failure(release))
                .isInstanceOf(LeaseReleaseException.class)
                .hasMessageContaining("failed by the test");
        assertThat(failure(release))
                .extracting("freeAt", InstanceOfAssertFactories.INSTANT)
                .isBetween(
                        clock.environment().wallClock().instant().plus(TTL).minus(TIMEOUT),
                        clock.environment().wallClock().instant().plus(TTL).plus(TIMEOUT));
        assertThat(lease.checkAlive()).isFalse();
        assertThat(server.releases).hasSizeGreaterThan(1);
        int before = server.releases.size();
        clock.advance(TIMEOUT.multipliedBy(2));
        assertThat(server.releases).as("a try without an answer has failed").hasSizeGreaterThan(before);
        clock.advance(TTL.multipliedBy(2));
        assertThat(clock.pendingTimers()).as("after the time of the grant").isZero();
    }

    @Test
    void aReleaseIsNotSentAgainToAClosedBackEnd() {
        acquired("one");
        CompletionStage<Void> release = lease.release();
        server.releases.get(0).answer().completeExceptionally(new LeaseClosedException("closed by the test"));

        assertThat(failure(release)).isInstanceOf(LeaseReleaseException.class);
        assertThat(clock.pendingTimers()).isZero();
        assertThat(server.releases).hasSize(1);
    }

    @Test
    void anAcquireAfterAnUnconfirmedReleaseWorks() {
        acquired("one");
        CompletionStage<Void> release = lease.release();
        CompletionStage<Boolean> early = lease.acquire();
        assertThat(server.acquires).as("a release is under way").hasSize(1);
        clock.advance(TIMEOUT);
        assertThat(failure(release)).isInstanceOf(LeaseReleaseException.class);
        server.refuse();
        assertThat(failure(early)).as("the server may mean ourselves").isInstanceOf(LeaseUnavailableException.class);

        clock.advance(seconds(2));
        server.release();
        CompletionStage<Boolean> next = lease.acquire();
        server.grant("two");

        assertThat(now(next)).isTrue();
    }

    @Test
    void twoReleasesAreOne() {
        acquired("one");
        CompletionStage<Void> first = lease.release();
        CompletionStage<Void> second = lease.release();
        server.release();

        now(first);
        now(second);
        now(lease.release());
        assertThat(server.releases).hasSize(1);
    }

    @Test
    void anOldGrantHasNoEffectOnTheNext() {
        Grant old = acquired("one");
        lease.release();
        server.release();
        acquired("two");
        clock.advance(seconds(1));

        assertThat(now(old.ensure(VALIDITY))).isFalse();
        assertThat(old.remaining()).isZero();
        assertThat(server.renewals).isEmpty();
        assertThat(lease.checkAlive()).isTrue();
    }

    @Test
    void aWaitHasBounds() {
        assertThat(failure(lease.acquire(seconds(-1)))).isInstanceOf(LeaseConfigException.class);
        assertThat(failure(lease.acquire(Duration.ofDays(365).plusNanos(1)))).isInstanceOf(LeaseConfigException.class);
        assertThat(failure(lease.acquire(Duration.ofSeconds(Long.MAX_VALUE)))).isInstanceOf(LeaseConfigException.class);

        assertThat(server.acquires).isEmpty();
        lease.acquire(Duration.ofDays(365));
        assertThat(server.acquires).hasSize(1);
    }
}
