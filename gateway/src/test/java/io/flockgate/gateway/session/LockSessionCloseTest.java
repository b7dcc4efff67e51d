package io.flockgate.gateway.session;

import static io.flockgate.gateway.session.ScriptedStorage.failure;
import static io.flockgate.gateway.session.ScriptedStorage.queued;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.eventloop.FakeEventLoop;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.ClaimOutcome.Queued;
import io.flockgate.storage.Grant;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.Ticket;
import io.flockgate.storage.Token;
import io.vertx.core.Future;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockSessionCloseTest {
    private final Client client = new Client();
    private final FakeEventLoop loop = client.loop;
    private final ScriptedStorage storage = client.storage;

    /** Nothing that arrives after the end is answered, and no timer keeps running. */
    @AfterEach
    void nothingIsAnswered() {
        loop.pass(Duration.ofHours(1));
        assertThat(client.answers).isEmpty();
        assertThat(loop.timersRunning()).isZero();
    }

    private void begin(boolean twoPhase) {
        if (twoPhase) {
            client.enqueue("k");
        } else {
            client.acquire("k", 10);
        }
    }

    private void close() {
        Future<Void> unused = client.close();
    }

    @Nested
    class Completes {
        @Test
        void atOnceWhenThereIsNothingToGiveBack() {
            assertThat(client.close().isComplete()).isTrue();
        }

        @Test
        void whenTheStorageHasGivenUpEveryPlaceAndTakenBackEverySlot() {
            client.hold("held");
            client.enqueueBehind("queued");
            Future<Void> done = client.close();
            storage.releases.answer(ReleaseOutcome.RELEASED);
            loop.run();
            assertThat(done.isComplete()).isFalse();
            storage.leaves.answer(LeaveOutcome.LEFT);
            loop.run();
            assertThat(done.succeeded()).isTrue();
        }

        @Test
        void withTheFirstFailureOnceAllIsOver() {
            client.hold("a");
            client.hold("b");
            Future<Void> done = client.close();
            StorageException failure = failure(Effect.UNKNOWN);
            storage.releases.fail(failure);
            loop.run();
            assertThat(done.isComplete()).isFalse();
            storage.releases.fail(failure(Effect.NOT_DONE));
            loop.run();
            assertThat(done.cause()).isSameAs(failure);
        }
    }

    @Nested
    class Gives {
        @Test
        void upPlacesInQueuesBeforeWhatIsHeld() {
            client.hold("held");
            client.enqueueBehind("queued");
            close();
            assertThat(storage.journal).containsExactly("claim held", "claim queued", "leave queued", "release held");
        }

        @Test
        void backWhatWasEnqueuedAndGranted() {
            Grant atOnce = client.enqueueFree("at-once");
            Grant promoted = client.grantTo(client.enqueueBehind("promoted"));
            loop.run();
            close();
            assertThat(client.released()).containsExactlyInAnyOrder(atOnce.token(), promoted.token());
            assertThat(storage.leaves.asked()).isEmpty();
        }

        @Test
        void backVeryManyGrantsInBitesSoThatOthersGetTheirTurns() {
            for (int i = 0; i < 10_000; i++) {
                client.hold("k" + i);
            }
            Future<Void> done = client.close();
            for (int most = 512; most < 10_000; most += 512) {
                loop.run();
                assertThat(client.released()).hasSize(most);
                assertThat(done.isComplete()).isFalse();
                loop.pass(Duration.ofMillis(1));
            }
            assertThat(client.released()).hasSize(10_000).doesNotHaveDuplicates();
            storage.releases.answerAll(ReleaseOutcome.RELEASED);
            loop.run();
            assertThat(done.isComplete()).isTrue();
        }

        @Test
        void upThePlaceOfAWaitAndBackAGrantThatComesInThatInstant() {
            Ticket ticket = client.waitFor("k", 10);
            close();
            assertThat(storage.leaves.asked()).containsExactly(ticket);
            Grant grant = client.grantTo(ticket);
            loop.run();
            assertThat(client.released()).containsExactly(grant.token());
        }

        @Test
        void backAGrantNotifiedJustBefore() {
            Grant grant = client.grantTo(client.waitFor("k", 10));
            close();
            loop.run();
            assertThat(client.released()).containsExactly(grant.token());
        }

        @Test
        void upATwoPhasePlaceAndBackAGrantThatComesMeanwhile() {
            Ticket ticket = client.enqueueBehind("k");
            client.await("k", 10);
            storage.leaves.ready(LeaveOutcome.GRANTED);
            close();
            Grant grant = client.grantTo(ticket);
            loop.run();
            assertThat(client.released()).containsExactly(grant.token());
        }

        @Test
        void backALateGrantThatWasBeingRenewed() {
            Grant grant = client.grantTo(client.waitFor("k", 10));
            loop.stall(Duration.ofMillis(501));
            loop.run();
            close();
            assertThat(client.released()).isEmpty();
            storage.renewals.answer(RenewOutcome.RENEWED);
            loop.run();
            assertThat(client.released()).containsExactly(grant.token());
        }
    }

    @Nested
    class AClaimAnsweredLater {
        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void isGivenBackWhenItGotASlot(boolean twoPhase) {
            begin(twoPhase);
            close();
            Held held = storage.held("k");
            storage.claims.answer(held);
            loop.run();
            assertThat(client.released()).containsExactly(held.grant().token());
        }

        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void givesUpItsPlaceAndGivesBackAGrantThatComesInThatInstant(boolean twoPhase) {
            begin(twoPhase);
            close();
            Queued queued = queued("k");
            storage.claims.answer(queued);
            loop.run();
            assertThat(storage.leaves.asked()).containsExactly(queued.ticket());
            Grant grant = client.grantTo(queued.ticket());
            loop.run();
            assertThat(client.released()).containsExactly(grant.token());
        }

        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void isNothingWhenItFails(boolean twoPhase) {
            begin(twoPhase);
            close();
            storage.claims.fail(failure(Effect.UNKNOWN));
            loop.run();
            assertThat(storage.journal).containsExactly("claim k");
        }
    }

    @Nested
    class IsSettled {
        private boolean settled;

        private void closeAndWatch() {
            close();
            client.session.whenSettled(() -> settled = true);
        }

        @Test
        void atOnceWhenNothingIsPending() {
            client.hold("k");
            storage.releases.ready(ReleaseOutcome.RELEASED);
            closeAndWatch();
            assertThat(settled).isTrue();
        }

        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void onceItsClaimHasLeftTheQueue(boolean twoPhase) {
            begin(twoPhase);
            closeAndWatch();
            storage.claims.answer(queued("k"));
            loop.run();
            assertThat(storage.leaves.asked()).hasSize(1);
            assertThat(settled).isFalse();
            storage.leaves.answer(LeaveOutcome.LEFT);
            loop.run();
            assertThat(settled).isTrue();
        }

        @Test
        void onceItsWaitHasLeftTheQueue() {
            client.waitFor("k", 10);
            closeAndWatch();
            loop.run();
            assertThat(settled).isFalse();
            storage.leaves.fail(failure(Effect.UNKNOWN));
            loop.run();
            assertThat(settled).isTrue();
        }

        @Test
        void onceItsSlotsAreReleased() {
            client.hold("k");
            closeAndWatch();
            assertThat(settled).isFalse();
            storage.releases.answer(ReleaseOutcome.RELEASED);
            loop.run();
            assertThat(settled).isTrue();
        }
    }

    @Test
    void otherRequestsAnsweredLaterGetNoAnswer() {
        client.release("k", new Token(1, 1));
        client.renew("k", new Token(1, 1), 5);
        close();
        storage.releases.answer(ReleaseOutcome.RELEASED);
        storage.renewals.answer(RenewOutcome.RENEWED);
    }

    @Nested
    class WithoutAutoRelease {
        private final Client keeping = new Client(false);

        @Test
        void whatTheClientHoldsIsKeptButPlacesInQueuesAreGivenUp() {
            keeping.hold("held");
            keeping.enqueueFree("acquired");
            Ticket queued = keeping.enqueueBehind("queued");
            Future<Void> unused = keeping.close();
            assertThat(keeping.storage.leaves.asked()).containsExactly(queued);
            assertThat(keeping.released()).isEmpty();
        }

        @Test
        void whatTheClientNeverHeardOfIsGivenBack() {
            Ticket ticket = keeping.waitFor("k", 10);
            Future<Void> unused = keeping.close();
            Grant grant = keeping.grantTo(ticket);
            keeping.loop.run();
            assertThat(keeping.released()).containsExactly(grant.token());
        }
    }
}
