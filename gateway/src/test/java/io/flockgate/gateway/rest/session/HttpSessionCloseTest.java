package io.flockgate.gateway.rest.session;

import static io.flockgate.gateway.rest.session.SessionBench.acquire;
import static io.flockgate.gateway.rest.session.SessionBench.await;
import static io.flockgate.gateway.rest.session.SessionBench.enqueue;
import static io.flockgate.gateway.rest.session.SessionBench.release;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.eventloop.FakeEventLoop;
import io.flockgate.gateway.session.LockRequest;
import io.flockgate.gateway.session.LockSession;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.gateway.session.ScriptedStorage;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.StorageException;
import io.vertx.core.Future;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HttpSessionCloseTest {
    private final SessionBench bench = new SessionBench();
    private final HttpSession session = bench.session;
    private final FakeEventLoop loop = bench.loop;
    private final ScriptedStorage storage = bench.storage;

    private Future<Void> close() {
        Future<Void> closed = session.close(LockSession::close);
        bench.run();
        return closed;
    }

    private void settle() {
        storage.leaves.answerAll(LeaveOutcome.LEFT);
        storage.releases.answerAll(ReleaseOutcome.RELEASED);
        bench.run();
    }

    @AfterEach
    void laterCallsFindTheSessionGoneAndTouchNothing() {
        settle();
        int before = storage.journal.size();
        for (FakeReceiver receiver : List.of(bench.ask(acquire("late", 0)), bench.ask(release("late")))) {
            assertThat(receiver.goneReports()).isOne();
            assertThat(receiver.answers).isEmpty();
        }
        bench.run();
        assertThat(storage.journal).hasSize(before);
    }

    @Nested
    class AnIdleSession {
        @Test
        void endsInItsEventLoopsNextTurn() {
            Future<Void> closed = session.close(LockSession::close);
            assertThat(closed.isComplete()).isFalse();
            loop.run();
            assertThat(closed.succeeded()).isTrue();
        }

        @Test
        void endsEvenIfTheStorageThrows() {
            bench.hold("held");
            bench.enqueueBehind("queued");
            storage.leaves.readyThrow(new IllegalStateException("broken"));
            storage.releases.readyThrow(new IllegalStateException("broken"));
            assertThat(close().cause()).isInstanceOf(StorageException.class);
        }
    }

    @Nested
    class ALongPoll {
        @Test
        void isBrokenOffAndThoseBehindItAreAnsweredAtOnce() {
            FakeReceiver poll = bench.poll("k");
            FakeReceiver second = bench.ask(acquire("b", 10));
            FakeReceiver third = bench.ask(release("c"));
            Future<Void> closed = close();
            assertThat(second.goneReports()).isOne();
            assertThat(third.goneReports()).isOne();
            assertThat(poll.heardNothing()).isTrue();
            storage.leaves.answer(LeaveOutcome.LEFT);
            bench.run();
            assertThat(poll.answers).containsExactly(Plain.CANCELLED);
            assertThat(closed.succeeded()).isTrue();
            assertThat(storage.journal).containsExactly("claim k", "leave k");
        }

        @Test
        void isAnsweredBeforeTheSessionGivesBackWhatItHolds() {
            bench.hold("held");
            storage.claims.ready(ScriptedStorage.queued("k"));
            FakeReceiver slow = FakeReceiver.slowOn(loop).ask(session, acquire("k", 10));
            Future<Void> closed = close();
            storage.leaves.answer(LeaveOutcome.LEFT);
            bench.run();
            assertThat(slow.answers).containsExactly(Plain.CANCELLED);
            assertThat(storage.releases.asked()).isEmpty();
            slow.render();
            assertThat(storage.releases.asked()).hasSize(1);
            settle();
            assertThat(closed.succeeded()).isTrue();
        }

        @Test
        void thatIsLeftInThatInstantIsAnsweredToNobody() {
            FakeReceiver poll = bench.poll("k");
            poll.leave();
            Future<Void> closed = close();
            settle();
            assertThat(poll.heardNothing()).isTrue();
            assertThat(closed.succeeded()).isTrue();
            assertThat(storage.leaves.asked()).hasSize(1);
        }

        @Test
        void fromAnotherLoopIsAnsweredThere() {
            storage.claims.ready(ScriptedStorage.queued("k"));
            FakeReceiver poll = FakeReceiver.on(bench.elsewhere).ask(session, acquire("k", 10));
            bench.run();
            Future<Void> closed = close();
            storage.leaves.answer(LeaveOutcome.LEFT);
            loop.run();
            assertThat(closed.isComplete()).isFalse();
            bench.run();
            assertThat(poll.answers).containsExactly(Plain.CANCELLED);
            assertThat(closed.succeeded()).isTrue();
        }
    }

    @Nested
    class ACallUnderWay {
        static List<LockRequest> claims() {
            return List.of(acquire("k", 0), enqueue("k"));
        }

        @ParameterizedTest
        @MethodSource("claims")
        void thatIsGrantedLateIsBrokenOffAndTheGrantGivenBack(LockRequest claim) {
            FakeReceiver receiver = bench.ask(claim);
            Future<Void> closed = close();
            assertThat(closed.isComplete()).isFalse();
            Held held = storage.held("k");
            storage.claims.answer(held);
            bench.run();
            assertThat(receiver.answers).containsExactly(Plain.CANCELLED);
            assertThat(bench.released()).contains(held.grant().token());
            settle();
            assertThat(closed.succeeded()).isTrue();
        }

        @Test
        void thatReleasesIsAnsweredWithWhatCameOfIt() {
            FakeReceiver receiver = bench.ask(release("k"));
            Future<Void> closed = close();
            assertThat(closed.isComplete()).isFalse();
            storage.releases.answer(ReleaseOutcome.RELEASED);
            bench.run();
            assertThat(receiver.answers).containsExactly(Plain.RELEASED);
            assertThat(closed.succeeded()).isTrue();
        }

        @Test
        void whoseGrantCannotBeGivenBackIsAnsweredAllTheSame() {
            FakeReceiver receiver = bench.ask(enqueue("k"));
            Future<Void> closed = close();
            storage.releases.readyThrow(new IllegalStateException("broken"));
            storage.claims.answer(storage.held("k"));
            bench.run();
            assertThat(receiver.answers).containsExactly(Plain.CANCELLED);
            settle();
            assertThat(closed.isComplete()).isTrue();
        }

        @Test
        void aGrantOnItsWayToAVanishedClientIsUndoneFirst() {
            storage.claims.ready(storage.held("k"));
            FakeReceiver receiver = FakeReceiver.on(bench.elsewhere).ask(session, acquire("k", 0));
            loop.run();
            receiver.leave();
            Future<Void> closed = close();
            assertThat(storage.releases.asked()).isNotEmpty();
            settle();
            assertThat(receiver.heardNothing()).isTrue();
            assertThat(closed.succeeded()).isTrue();
        }
    }

    @Test
    void callsThatWereLeftBeforeTheirTurnAreDroppedWithTheSession() {
        bench.enqueueBehind("k");
        FakeReceiver poll = bench.poll("first");
        FakeReceiver releasing = bench.ask(release("x"));
        FakeReceiver waiting = bench.ask(await("k", 10));
        releasing.leave();
        waiting.leave();
        Future<Void> closed = close();
        settle();
        settle();
        assertThat(poll.answers).containsExactly(Plain.CANCELLED);
        assertThat(closed.succeeded()).isTrue();
        assertThat(storage.journal).containsExactly("claim k", "claim first", "leave first", "leave k");
    }
}
