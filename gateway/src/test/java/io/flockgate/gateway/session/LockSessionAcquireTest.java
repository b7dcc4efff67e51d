package io.flockgate.gateway.session;

import static io.flockgate.gateway.session.Client.LEASE;
import static io.flockgate.gateway.session.Client.elsewhere;
import static io.flockgate.gateway.session.ScriptedStorage.failure;
import static io.flockgate.gateway.session.ScriptedStorage.queued;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.eventloop.FakeEventLoop;
import io.flockgate.gateway.session.Outcome.Failed;
import io.flockgate.gateway.session.Outcome.Granted;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.gateway.session.Outcome.Renewed;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.ClaimOutcome.Queued;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Grant;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.Ticket;
import io.flockgate.storage.Token;
import io.vertx.core.Future;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class LockSessionAcquireTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LATE = Duration.ofMillis(501);

    private final Client client = new Client();
    private final FakeEventLoop loop = client.loop;
    private final ScriptedStorage storage = client.storage;

    @Nested
    class AClaim {
        @Test
        void thatFindsAFreeSlotIsAnsweredAtOnceWithoutTurnOrTimer() {
            Held held = storage.held("k");
            storage.claims.ready(held);
            client.acquire("k", 10);
            assertThat(client.answers).containsExactly(new Granted(held.grant(), LEASE));
            assertThat(loop.posts()).isZero();
            assertThat(loop.timersStarted()).isZero();
        }

        @Test
        void namesItsClaimant() {
            client.acquire("k", 10);
            assertThat(client.claimant().id()).isEqualTo(7);
            assertThat(storage.claims.last().claim()).isEqualTo(Client.claim("k", true));
        }

        @Test
        void mayBeAnsweredOnAnotherThread() {
            client.acquire("k", 10);
            Held held = storage.held("k");
            elsewhere(() -> storage.claims.answer(held));
            assertThat(client.answers).isEmpty();
            loop.run();
            assertThat(client.answers).containsExactly(new Granted(held.grant(), LEASE));
        }

        @ParameterizedTest
        @CsvSource({
            "BUSY, TIMEOUT",
            "MAX_LOCKS, MAX_LOCKS",
            "MAX_HOLDERS, MAX_HOLDERS",
            "MAX_WAITERS, MAX_WAITERS",
            "LIMIT_MISMATCH, LIMIT_MISMATCH",
            "KIND_MISMATCH, LIMIT_MISMATCH"
        })
        void thatIsRefusedIsAnsweredSo(Refusal refusal, Plain answer) {
            storage.claims.ready(refusal);
            client.acquire("k", 0);
            client.acquire("k", 0);
            storage.claims.answer(refusal);
            loop.run();
            assertThat(client.answers).containsExactly(answer, answer);
        }

        @ParameterizedTest
        @EnumSource(Effect.class)
        void thatTheStorageCannotMakeFailsWithWhatIsKnownOfIt(Effect effect) {
            StorageException now = failure(effect);
            storage.claims.readyFailure(now);
            client.acquire("k", 10);
            StorageException later = failure(effect);
            client.acquire("k", 10);
            storage.claims.fail(later);
            loop.run();
            assertThat(client.answers).containsExactly(new Failed(now), new Failed(later));
            loop.pass(SECOND.multipliedBy(20));
            assertThat(client.answers).hasSize(2);
        }

        @Test
        void thatFailsInAWayNotAgreedOnHasAnUnknownEffect() {
            storage.claims.readyFailure(new IllegalStateException("broken"));
            client.acquire("k", 10);
            assertThat(client.failure().effect()).isEqualTo(Effect.UNKNOWN);
            assertThat(client.failure()).hasRootCauseMessage("broken");
        }
    }

    @Nested
    class AWait {
        @Test
        void endsWithTheGrant() {
            Ticket ticket = client.waitFor("k", 10);
            Grant[] grant = new Grant[1];
            elsewhere(() -> grant[0] = client.grantTo(ticket));
            assertThat(client.answers).isEmpty();
            loop.run();
            assertThat(client.answers).containsExactly(new Granted(grant[0], LEASE));
            assertThat(storage.renewals.asked()).isEmpty();
        }

        @Test
        void endsByItselfWhenItsTimeIsOverAndGivesUpItsPlace() {
            Ticket ticket = client.waitFor("k", 2);
            loop.pass(SECOND.multipliedBy(2).minusNanos(1));
            assertThat(storage.leaves.asked()).isEmpty();
            storage.leaves.ready(LeaveOutcome.LEFT);
            loop.pass(Duration.ofNanos(1));
            assertThat(storage.leaves.asked()).containsExactly(ticket);
            assertThat(client.answers).containsExactly(Plain.TIMEOUT);
        }

        @Test
        void isNotEndedByTheTimeOfAnEarlierOne() {
            client.grantTo(client.waitFor("k", 2));
            loop.pass(SECOND);
            client.waitFor("other", 2);
            loop.pass(SECOND.plusMillis(500));
            assertThat(client.answers).hasSize(1);
            assertThat(storage.leaves.asked()).isEmpty();
        }

        @Test
        void thatIsOverAsTheGrantComesEndsWithTheGrant() {
            Ticket ticket = client.waitFor("k", 1);
            loop.pass(SECOND);
            storage.leaves.answer(LeaveOutcome.GRANTED);
            loop.run();
            assertThat(client.answers).isEmpty();
            Grant grant = client.grantTo(ticket);
            loop.run();
            assertThat(client.answers).containsExactly(new Granted(grant, LEASE));
        }

        @Test
        void thatIsOverAfterTheGrantWasNotifiedEndsWithTheGrant() {
            Ticket ticket = client.waitFor("k", 1);
            loop.pass(SECOND);
            Grant grant = client.grantTo(ticket);
            storage.leaves.answer(LeaveOutcome.GRANTED);
            loop.run();
            assertThat(client.answers).containsExactly(new Granted(grant, LEASE));
        }

        @Test
        void thatEndsBeforeTheStorageAnswersStillTakesAFreeSlot() {
            client.acquire("k", 1);
            loop.pass(SECOND);
            Held held = storage.held("k");
            storage.claims.answer(held);
            loop.run();
            assertThat(client.answers).containsExactly(new Granted(held.grant(), LEASE));
        }

        @Test
        void thatIsOverBeforeTheStorageAnswersGivesUpThePlaceItGets() {
            client.acquire("k", 1);
            loop.pass(SECOND);
            assertThat(storage.leaves.asked()).isEmpty();
            Queued queued = queued("k");
            storage.leaves.ready(LeaveOutcome.LEFT);
            storage.claims.answer(queued);
            loop.run();
            assertThat(storage.leaves.asked()).containsExactly(queued.ticket());
            assertThat(client.answers).containsExactly(Plain.TIMEOUT);
        }

        @Test
        void whosePlaceCannotBeGivenUpFailsAndGivesBackWhatItGetsLater() {
            Ticket ticket = client.waitFor("k", 1);
            loop.pass(SECOND);
            StorageException failure = failure(Effect.NOT_DONE);
            storage.leaves.fail(failure);
            loop.run();
            assertThat(client.answers).containsExactly(new Failed(failure));
            Grant grant = client.grantTo(ticket);
            loop.run();
            assertThat(client.answers).hasSize(1);
            assertThat(client.released()).containsExactly(grant.token());
        }

        /**
         * The storage completes the claim's future, then notifies of the grant, both on its own
         * thread. The session read the future before that and listens to it only afterwards, so the
         * grant reaches the loop first. It must not be released, and the wait must end.
         */
        @Test
        void knowsItsGrantThatComesBeforeItsPlace() {
            client.acquire("k", 10);
            Queued queued = queued("k");
            Grant grant = storage.grant("k");
            elsewhere(() -> {
                client.claimant().granted(queued.ticket(), grant);
                storage.claims.answer(queued);
            });
            loop.run();
            assertThat(client.answers).containsExactly(new Granted(grant, LEASE));
            assertThat(client.released()).isEmpty();
            loop.pass(SECOND.multipliedBy(20));
            assertThat(client.answers).hasSize(1);
        }
    }

    @Nested
    class ALateGrant {
        @Test
        void getsItsWholeLeaseAgainBeforeItIsAnswered() {
            Grant grant = client.grantTo(client.waitFor("k", 10));
            loop.stall(LATE);
            loop.run();
            assertThat(client.answers).isEmpty();
            assertThat(storage.renewals.asked())
                    .containsExactly(new ScriptedStorage.RenewCall(grant.key(), grant.token(), LEASE));
            storage.renewals.answer(RenewOutcome.RENEWED);
            loop.run();
            assertThat(client.answers).containsExactly(new Granted(grant, LEASE));
        }

        @ParameterizedTest
        @EnumSource(names = "RENEWED", mode = EnumSource.Mode.EXCLUDE)
        void thatHasEndedIsAnsweredAsExpired(RenewOutcome ended) {
            client.grantTo(client.waitFor("k", 10));
            loop.stall(LATE);
            storage.renewals.ready(ended);
            loop.run();
            assertThat(client.answers).containsExactly(Plain.LEASE_EXPIRED);
        }

        @ParameterizedTest
        @EnumSource(Effect.class)
        void thatCannotBeRenewedIsGivenBackAndNotAnswered(Effect effect) {
            Grant grant = client.grantTo(client.waitFor("k", 10));
            loop.stall(LATE);
            StorageException failure = failure(effect);
            storage.renewals.readyFailure(failure);
            loop.run();
            assertThat(client.answers).containsExactly(new Failed(failure));
            assertThat(client.released()).containsExactly(grant.token());
        }
    }

    @Nested
    class AWaitBrokenOff {
        @Test
        void isAnsweredWhenItsPlaceIsGivenUp() {
            client.waitFor("k", 10);
            client.session.cancelWait();
            assertThat(client.answers).isEmpty();
            storage.leaves.answer(LeaveOutcome.LEFT);
            loop.run();
            assertThat(client.answers).containsExactly(Plain.CANCELLED);
        }

        @Test
        void givesBackAGrantThatComesInThatInstant() {
            Ticket ticket = client.waitFor("k", 10);
            client.session.cancelWait();
            Grant grant = client.grantTo(ticket);
            loop.run();
            assertThat(client.answers).containsExactly(Plain.CANCELLED);
            assertThat(client.released()).containsExactly(grant.token());
            storage.leaves.answer(LeaveOutcome.GRANTED);
            loop.run();
            assertThat(client.answers).hasSize(1);
        }

        @Test
        void beforeTheStorageAnswersGivesBackTheSlotItGets() {
            client.acquire("k", 10);
            client.session.cancelWait();
            Held held = storage.held("k");
            storage.claims.answer(held);
            loop.run();
            assertThat(client.answers).containsExactly(Plain.CANCELLED);
            assertThat(client.released()).containsExactly(held.grant().token());
        }

        @Test
        void afterItsTimeIsAskedToLeaveOnlyOnce() {
            client.waitFor("k", 1);
            loop.pass(SECOND);
            client.session.cancelWait();
            assertThat(storage.leaves.asked()).hasSize(1);
            storage.leaves.answer(LeaveOutcome.LEFT);
            loop.run();
            assertThat(client.answers).containsExactly(Plain.CANCELLED);
        }

        @Test
        void staysBrokenOffWhenItsTimeIsUp() {
            Ticket ticket = client.waitFor("k", 1);
            client.session.cancelWait();
            loop.pass(SECOND);
            Grant grant = client.grantTo(ticket);
            loop.run();
            assertThat(client.answers).containsExactly(Plain.CANCELLED);
            assertThat(client.released()).containsExactly(grant.token());
        }

        @Test
        void isNothingWhenNobodyWaits() {
            client.hold("k");
            client.session.cancelWait();
            assertThat(client.answers).isEmpty();
            assertThat(storage.journal).containsExactly("claim k");
        }
    }

    @Nested
    class ByToken {
        private final Token token = new Token(1, 2);

        @ParameterizedTest
        @CsvSource({"RELEASED, RELEASED", "NOT_HELD, NOT_HELD"})
        void aReleaseIsAnsweredAsTheStorageSays(ReleaseOutcome outcome, Plain answer) {
            storage.releases.ready(outcome);
            client.release("k", token);
            client.release("k", token);
            storage.releases.answer(outcome);
            loop.run();
            assertThat(client.answers).containsExactly(answer, answer);
            assertThat(client.released()).containsExactly(token, token);
        }

        @ParameterizedTest
        @EnumSource(RenewOutcome.class)
        void aRenewalIsAnsweredWithTheSecondsAskedFor(RenewOutcome outcome) {
            storage.renewals.ready(outcome);
            client.renew("k", token, 60);
            assertThat(client.answers)
                    .containsExactly(outcome == RenewOutcome.RENEWED ? new Renewed(60) : Plain.NOT_HELD);
        }

        @ParameterizedTest
        @EnumSource(Effect.class)
        void aFailureIsPassedOn(Effect effect) {
            StorageException failure = failure(effect);
            storage.releases.readyFailure(failure);
            client.release("k", token);
            storage.renewals.readyFailure(failure);
            client.renew("k", token, 60);
            assertThat(client.answers).containsExactly(new Failed(failure), new Failed(failure));
        }
    }

    @Test
    void aGrantForNoWaitIsGivenBack() {
        client.waitFor("k", 10);
        Grant grant = storage.grant("k");
        client.claimant().granted(queued("k").ticket(), grant);
        loop.run();
        assertThat(client.answers).isEmpty();
        assertThat(client.released()).containsExactly(grant.token());
    }

    @Test
    void aGrantThatHasEndedIsNoLongerTheSessions() {
        Grant kept = client.hold("kept");
        Grant ended = client.hold("ended");
        elsewhere(() -> client.end(ended, Ending.EXPIRED));
        loop.run();
        Future<Void> unused = client.close();
        assertThat(client.released()).containsExactly(kept.token());
    }
}
