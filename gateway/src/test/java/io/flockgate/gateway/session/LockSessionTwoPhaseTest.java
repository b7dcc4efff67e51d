package io.flockgate.gateway.session;

import static io.flockgate.gateway.session.Client.LEASE;
import static io.flockgate.gateway.session.Client.elsewhere;
import static io.flockgate.gateway.session.ScriptedStorage.failure;
import static io.flockgate.gateway.session.ScriptedStorage.queued;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.gateway.eventloop.FakeEventLoop;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.session.Outcome.Acquired;
import io.flockgate.gateway.session.Outcome.Failed;
import io.flockgate.gateway.session.Outcome.Granted;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.ClaimOutcome.Queued;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Grant;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.Ticket;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LockSessionTwoPhaseTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Client client = new Client();
    private final FakeEventLoop loop = client.loop;
    private final ScriptedStorage storage = client.storage;

    @Nested
    class AnEnqueue {
        @Test
        void ofAFreeKeyIsAcquiredAtOnce() {
            Held held = storage.held("k");
            storage.claims.ready(held);
            client.enqueue("k");
            assertThat(client.answers).containsExactly(new Acquired(held.grant(), LEASE));
        }

        @Test
        void ofAHeldKeyIsQueued() {
            storage.claims.ready(queued("k"));
            client.enqueue("k");
            assertThat(client.answers).containsExactly(Plain.QUEUED);
        }

        @Test
        void aSecondTimeIsRefusedBeforeTheStorageIsAsked() {
            client.enqueueFree("held");
            client.enqueueBehind("queued");
            client.enqueue("held");
            client.enqueue("queued");
            assertThat(client.answers).containsExactly(Plain.ALREADY_ENQUEUED, Plain.ALREADY_ENQUEUED);
            assertThat(storage.claims.asked()).hasSize(2);
        }

        @Test
        void thatIsRefusedLeavesNothingBehind() {
            storage.claims.ready(Refusal.KIND_MISMATCH);
            client.enqueue("k");
            client.await("k", 5);
            assertThat(client.answers).containsExactly(Plain.LIMIT_MISMATCH, Plain.NOT_ENQUEUED);
        }

        @ParameterizedTest
        @EnumSource(Effect.class)
        void thatFailsLeavesNothingBehind(Effect effect) {
            StorageException failure = failure(effect);
            storage.claims.readyFailure(failure);
            client.enqueue("k");
            client.await("k", 5);
            assertThat(client.answers).containsExactly(new Failed(failure), Plain.NOT_ENQUEUED);
        }

        @Test
        void whoseClaimThrowsTakesNoRoom() {
            Gate gate = gate(1, 1);
            Client limited = new Client(true, new ClientLimits(gate));
            limited.storage.claims.readyThrow(new IllegalStateException("broken"));
            assertThatThrownBy(() -> limited.enqueue("k")).hasMessage("broken");
            assertThat(gate.count(Resource.ENQUEUED)).isZero();
            limited.storage.claims.ready(queued("k"));
            limited.enqueue("k");
            assertThat(limited.answers).containsExactly(Plain.QUEUED);
        }

        private static Gate gate(long total, long perPeer) {
            return new Gate(Map.of(Resource.ENQUEUED, new Gate.Caps(total, perPeer)), System::nanoTime);
        }

        @Test
        void countsUntilItsWaitEvenIfItHasBeenGrantedOrHasEnded() {
            Client limited = new Client(true, new ClientLimits(gate(0, 2)));
            Grant grant = limited.enqueueFree("granted");
            limited.end(grant, Ending.EXPIRED);
            limited.loop.run();
            limited.enqueueBehind("queued");
            limited.enqueue("third");
            assertThat(limited.answers).containsExactly(Plain.MAX_ENQUEUED_PER_CLIENT);
            limited.await("granted", 0);
            limited.enqueueBehind("third");
            limited.enqueue("fourth");
            assertThat(limited.answers)
                    .containsExactly(Plain.MAX_ENQUEUED_PER_CLIENT, Plain.LEASE_EXPIRED, Plain.MAX_ENQUEUED_PER_CLIENT);
        }

        @Test
        void isRefusedWhenAllClientsHaveEnqueuedTooManyUntilOneLeaves() {
            ClientLimits limits = new ClientLimits(gate(1, 0));
            Client first = new Client(true, limits);
            Client second = new Client(true, limits);
            first.enqueueBehind("k");
            second.enqueue("other");
            second.await("other", 0);
            Future<Void> unused = first.close();
            second.enqueueBehind("other");
            assertThat(second.answers).containsExactly(Plain.MAX_ENQUEUED, Plain.NOT_ENQUEUED);
        }

        @Test
        void ofAClientWithATokenCountsForTheToken() {
            ClientLimits limits = new ClientLimits(gate(0, 1));
            Client ci = new Client(true, limits);
            ci.session.setPrincipal("ci");
            ci.enqueueBehind("k");
            Client ops = new Client(true, limits);
            ops.session.setPrincipal("ops");
            ops.storage.claims.ready(queued("k"));
            ops.enqueue("k");
            assertThat(ops.answers).containsExactly(Plain.QUEUED);
            Client alsoCi = new Client(true, limits);
            alsoCi.session.setPrincipal("ci");
            alsoCi.enqueue("k");
            assertThat(alsoCi.answers).containsExactly(Plain.MAX_ENQUEUED_PER_CLIENT);
        }
    }

    @Nested
    class AWaitForWhatWasAcquired {
        @Test
        void givesTheSameTokenWithAWholeLeaseAndUsesTheEntryUp() {
            Grant grant = client.enqueueFree("k");
            storage.renewals.ready(RenewOutcome.RENEWED);
            client.await("k", 0);
            client.await("k", 0);
            assertThat(client.answers).containsExactly(new Granted(grant, LEASE), Plain.NOT_ENQUEUED);
            assertThat(storage.renewals.asked())
                    .containsExactly(new ScriptedStorage.RenewCall(grant.key(), grant.token(), LEASE));
        }

        /** The client already knows the token and may rely on it, so the lease continues to run. */
        @Test
        void thatCannotBeRenewedKeepsTheGrant() {
            Grant grant = client.enqueueFree("k");
            StorageException failure = failure(Effect.UNKNOWN);
            storage.renewals.readyFailure(failure);
            client.await("k", 0);
            assertThat(client.answers).containsExactly(new Failed(failure));
            assertThat(client.released()).isEmpty();
            Future<Void> unused = client.close();
            assertThat(client.released()).containsExactly(grant.token());
        }
    }

    @Nested
    class APromotedEntry {
        @Test
        void givesItsTokenToAWaitOfNoTime() {
            Grant grant = client.grantTo(client.enqueueBehind("k"));
            loop.run();
            storage.renewals.ready(RenewOutcome.RENEWED);
            client.await("k", 0);
            assertThat(client.answers).containsExactly(new Granted(grant, LEASE));
            assertThat(storage.leaves.asked()).isEmpty();
        }

        @Test
        void isSeenByAWaitThatComesBeforeTheLoopHasHeardOfIt() {
            Ticket ticket = client.enqueueBehind("k");
            Grant[] grant = new Grant[1];
            elsewhere(() -> grant[0] = client.grantTo(ticket));
            client.await("k", 0);
            loop.run();
            storage.renewals.answer(RenewOutcome.RENEWED);
            loop.run();
            assertThat(client.answers).containsExactly(new Granted(grant[0], LEASE));
            assertThat(client.released()).isEmpty();
        }

        @Test
        void isKnownThoughItsPlaceIsReportedLater() {
            client.enqueue("k");
            Queued queued = queued("k");
            Grant grant = client.grantTo(queued.ticket());
            storage.claims.answer(queued);
            loop.run();
            storage.renewals.ready(RenewOutcome.RENEWED);
            client.await("k", 0);
            assertThat(client.answers).containsExactly(Plain.QUEUED, new Granted(grant, LEASE));
            assertThat(client.released()).isEmpty();
        }

        @ParameterizedTest
        @EnumSource(Effect.class)
        void thatCannotBeRenewedIsGivenBackAndItsTokenNotSent(Effect effect) {
            Grant grant = client.grantTo(client.enqueueBehind("k"));
            loop.run();
            StorageException failure = failure(effect);
            storage.renewals.readyFailure(failure);
            client.await("k", 0);
            assertThat(client.answers).containsExactly(new Failed(failure));
            assertThat(client.released()).containsExactly(grant.token());
        }
    }

    @Nested
    class AWaitInTheQueue {
        @Test
        void endsWithTheGrant() {
            Ticket ticket = client.enqueueBehind("k");
            client.await("k", 10);
            Grant[] grant = new Grant[1];
            elsewhere(() -> grant[0] = client.grantTo(ticket));
            loop.run();
            client.await("k", 10);
            assertThat(client.answers).containsExactly(new Granted(grant[0], LEASE), Plain.NOT_ENQUEUED);
        }

        /** The client counts from its wait request, but the lease began before that. */
        @Test
        void forAGrantThatWasBegunBeforeItGetsAWholeLease() {
            Ticket ticket = client.enqueueBehind("k");
            Grant grant = storage.grant("k");
            loop.stall(Duration.ofMillis(1));
            client.await("k", 5);
            client.claimant().granted(ticket, grant);
            loop.run();
            assertThat(client.answers).isEmpty();
            assertThat(storage.renewals.asked())
                    .containsExactly(new ScriptedStorage.RenewCall(grant.key(), grant.token(), LEASE));
            storage.renewals.answer(RenewOutcome.RENEWED);
            loop.run();
            assertThat(client.answers).containsExactly(new Granted(grant, LEASE));
        }

        @Test
        void endsByItselfAndLosesItsPlace() {
            Ticket ticket = client.enqueueBehind("k");
            client.await("k", 1);
            storage.leaves.ready(LeaveOutcome.LEFT);
            loop.pass(SECOND);
            client.await("k", 1);
            assertThat(storage.leaves.asked()).containsExactly(ticket);
            assertThat(client.answers).containsExactly(Plain.TIMEOUT, Plain.NOT_ENQUEUED);
        }

        @Test
        void ofNoTimeLosesItsPlaceAtOnce() {
            client.enqueueBehind("k");
            storage.leaves.ready(LeaveOutcome.LEFT);
            client.await("k", 0);
            client.enqueueBehind("k");
            assertThat(client.answers).containsExactly(Plain.TIMEOUT);
        }

        /**
         * One event loop serves many sessions, and replies gathered in a turn leave together, so a
         * grant that a session causes on its own loop must not be sent to another client in the
         * middle of that turn.
         */
        @Test
        void isAnsweredInATurnOfItsOwnThoughGrantedOnItsLoop() {
            Ticket ticket = client.enqueueBehind("k");
            client.await("k", 10);
            Grant grant = client.grantTo(ticket);
            assertThat(client.answers).isEmpty();
            loop.run();
            assertThat(client.answers).containsExactly(new Granted(grant, LEASE));
        }
    }

    @Nested
    class ASessionThatHoldsAKeyAndIsQueuedForIt {
        @Test
        void keepsItsPlaceWhenItReleasesTheKey() {
            Grant held = client.hold("k");
            Claimant holder = client.claimant();
            Ticket ticket = client.enqueueBehind("k");
            holder.ended(held, Ending.RELEASED);
            Grant next = client.grantTo(ticket);
            storage.releases.ready(ReleaseOutcome.RELEASED);
            client.release("k", held.token());
            storage.renewals.ready(RenewOutcome.RENEWED);
            client.await("k", 0);
            assertThat(client.answers).containsExactly(Plain.RELEASED, new Granted(next, LEASE));
        }

        @Test
        void givesBackBothAtTheEnd() {
            Grant held = client.hold("k");
            Grant next = client.grantTo(client.enqueueBehind("k"));
            loop.run();
            Future<Void> unused = client.close();
            assertThat(client.released()).containsExactlyInAnyOrder(held.token(), next.token());
        }
    }

    @Test
    void aWaitWithoutAnEnqueueIsRefused() {
        client.await("k", 5);
        assertThat(client.answers).containsExactly(Plain.NOT_ENQUEUED);
        assertThat(storage.journal).isEmpty();
    }
}
