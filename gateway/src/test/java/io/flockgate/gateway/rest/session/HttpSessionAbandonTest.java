package io.flockgate.gateway.rest.session;

import static io.flockgate.gateway.rest.session.SessionBench.acquire;
import static io.flockgate.gateway.rest.session.SessionBench.await;
import static io.flockgate.gateway.rest.session.SessionBench.enqueue;
import static io.flockgate.gateway.rest.session.SessionBench.release;
import static io.flockgate.gateway.rest.session.SessionBench.renew;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.eventloop.FakeEventLoop;
import io.flockgate.gateway.session.LockSession;
import io.flockgate.gateway.session.Outcome.Acquired;
import io.flockgate.gateway.session.Outcome.Granted;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.gateway.session.ScriptedStorage;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.ClaimOutcome.Queued;
import io.flockgate.storage.Grant;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.Ticket;
import io.vertx.core.Future;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Clients that disconnect: they must keep neither a slot nor a place. */
class HttpSessionAbandonTest {
    private final SessionBench bench = new SessionBench();
    private final HttpSession session = bench.session;
    private final FakeEventLoop loop = bench.loop;
    private final ScriptedStorage storage = bench.storage;

    @AfterEach
    void theSessionIsFreeInTheEndAndNoTimerGoesOn() {
        loop.pass(Duration.ofHours(1));
        for (int i = 0; i < 5; i++) {
            storage.releases.answerAll(ReleaseOutcome.RELEASED);
            storage.leaves.answerAll(LeaveOutcome.LEFT);
            bench.run();
        }
        loop.pass(Duration.ofHours(1));
        assertThat(session.isIdle(1)).isTrue();
        assertThat(loop.timersRunning()).isZero();
    }

    @Nested
    class WhoLeavesALongPoll {
        private final Queued queued = ScriptedStorage.queued("k");
        private final Ticket ticket = queued.ticket();

        private FakeReceiver poll() {
            storage.claims.ready(queued);
            return bench.ask(acquire("k", 10));
        }

        @Test
        void givesUpThePlaceBeforeTheNextCallIsCarriedOut() {
            FakeReceiver poll = poll();
            FakeReceiver next = bench.ask(await("x", 0));
            poll.leave();
            assertThat(storage.leaves.asked()).containsExactly(ticket);
            assertThat(next.heardNothing()).isTrue();
            storage.leaves.answer(LeaveOutcome.LEFT);
            bench.run();
            assertThat(poll.heardNothing()).isTrue();
            assertThat(next.answers).containsExactly(Plain.NOT_ENQUEUED);
        }
    }

    @Nested
    class WhoLeavesAnEnqueue {
        @Test
        void givesBackTheSlot() {
            FakeReceiver receiver = bench.ask(enqueue("k"));
            receiver.leave();
            Held held = storage.held("k");
            storage.claims.answer(held);
            bench.run();
            assertThat(receiver.heardNothing()).isTrue();
            assertThat(bench.released()).containsExactly(held.grant().token());
        }

        @Test
        void givesUpThePlaceBeforeTheNextCallIsCarriedOut() {
            FakeReceiver receiver = bench.ask(enqueue("k"));
            FakeReceiver next = bench.ask(await("k", 0));
            receiver.leave();
            Queued queued = ScriptedStorage.queued("k");
            storage.claims.answer(queued);
            bench.run();
            assertThat(storage.leaves.asked()).containsExactly(queued.ticket());
            assertThat(next.heardNothing()).isTrue();
            storage.leaves.answer(LeaveOutcome.LEFT);
            bench.run();
            assertThat(next.answers).containsExactly(Plain.NOT_ENQUEUED);
            assertThat(receiver.heardNothing()).isTrue();
        }

        @Test
        void givesBackAGrantThatComesWhileThePlaceIsGivenUp() {
            FakeReceiver receiver = bench.ask(enqueue("k"));
            receiver.leave();
            Queued queued = ScriptedStorage.queued("k");
            storage.claims.answer(queued);
            bench.run();
            Grant grant = bench.grantTo(queued.ticket());
            storage.leaves.answer(LeaveOutcome.GRANTED);
            bench.run();
            storage.renewals.answerAll(RenewOutcome.RENEWED);
            bench.run();
            assertThat(bench.released()).containsExactly(grant.token());
        }
    }

    @Nested
    class WhoLeavesAWait {
        @Test
        void givesUpThePlace() {
            Ticket ticket = bench.enqueueBehind("k");
            FakeReceiver waiting = bench.ask(await("k", 10));
            waiting.leave();
            assertThat(storage.leaves.asked()).containsExactly(ticket);
        }
    }

    @Nested
    class WhoLeavesBeforeItsTurn {
        private final FakeReceiver poll = bench.poll("first");

        private void endPoll() {
            poll.leave();
            storage.leaves.answer(LeaveOutcome.LEFT);
            bench.run();
        }

        @Test
        void neverClaims() {
            bench.ask(acquire("a", 10)).leave();
            bench.ask(acquire("b", 0)).leave();
            bench.ask(enqueue("c")).leave();
            endPoll();
            assertThat(storage.journal).containsExactly("claim first", "leave first");
        }

        @Test
        void standsInALineThatHasAnEndSoThatComingAndGoingFillsNoMemory() {
            for (int i = 0; i < SessionBench.MAX_CALLS; i++) {
                FakeReceiver inLine = bench.ask(release("a"));
                inLine.leave();
                assertThat(inLine.overloadedReports()).isZero();
            }
            assertThat(bench.ask(release("b")).overloadedReports()).isOne();
            endPoll();
            for (int i = 0; i < SessionBench.MAX_CALLS; i++) {
                storage.releases.answerAll(ReleaseOutcome.RELEASED);
                bench.run();
            }
            assertThat(storage.journal).hasSize(2 + SessionBench.MAX_CALLS).doesNotContain("release b");
            FakeReceiver next = bench.ask(await("c", 0));
            assertThat(next.answers).containsExactly(Plain.NOT_ENQUEUED);
        }

        @Test
        void leavesTheLineTooIfNothingWouldComeOfIt() {
            for (int i = 0; i <= SessionBench.MAX_CALLS; i++) {
                FakeReceiver inLine = bench.ask(i % 2 == 0 ? acquire("a", 10) : enqueue("a"));
                assertThat(inLine.overloadedReports()).isZero();
                inLine.leave();
            }
            assertThat(bench.ask(release("b")).overloadedReports()).isZero();
            storage.releases.ready(ReleaseOutcome.RELEASED);
            endPoll();
            assertThat(storage.journal).containsExactly("claim first", "leave first", "release b");
        }

        @Test
        void hasReleasedAndRenewedAllTheSame() {
            FakeReceiver releasing = bench.ask(release("a"));
            FakeReceiver renewing = bench.ask(renew("b"));
            FakeReceiver last = bench.ask(await("c", 0));
            releasing.leave();
            renewing.leave();
            storage.releases.ready(ReleaseOutcome.RELEASED);
            endPoll();
            assertThat(storage.journal).endsWith("release a", "renew b");
            assertThat(last.heardNothing()).isTrue();
            storage.renewals.answer(RenewOutcome.RENEWED);
            bench.run();
            assertThat(last.answers).containsExactly(Plain.NOT_ENQUEUED);
        }

        @Test
        void shortensNobodyElsesWait() {
            FakeReceiver second = bench.ask(acquire("a", 10));
            second.leave();
            bench.run();
            assertThat(storage.leaves.asked()).isEmpty();
            assertThat(poll.heardNothing()).isTrue();
        }
    }

    @Test
    void aClientThatLeavesAPendingWaitGivesUpItsPlace() {
        Ticket ticket = bench.enqueueBehind("k");
        FakeReceiver poll = bench.poll("first");
        bench.ask(await("k", 10)).leave();
        assertThat(storage.leaves.asked()).isEmpty();
        loop.pass(Duration.ofSeconds(10));
        storage.leaves.answer(LeaveOutcome.LEFT);
        bench.run();
        assertThat(poll.answers).containsExactly(Plain.TIMEOUT);
        assertThat(storage.leaves.asked()).hasSize(2).last().isEqualTo(ticket);
    }

    @Test
    void whoLeavesAfterTheAnswerChangesNothing() {
        bench.hold("a");
        FakeReceiver receiver = bench.ask(await("x", 0));
        receiver.leave();
        bench.run();
        assertThat(storage.journal).containsExactly("claim a");
    }

    @Nested
    class WhoHasGoneWhenTheAnswerComesFromAnotherLoop {
        private final FakeReceiver receiver = FakeReceiver.on(bench.elsewhere);

        /** The answer and the report of the disconnect cross each other. */
        private void leaveOnceAnswered() {
            loop.run();
            receiver.leave();
            bench.ask(release("next"));
            assertThat(storage.journal).doesNotContain("release next");
            bench.run();
            assertThat(receiver.heardNothing()).isTrue();
            assertThat(storage.journal).endsWith("release next");
        }

        @Test
        void givesTheSlotBackBeforeTheNextCallIsCarriedOut() {
            Held held = storage.held("k");
            storage.claims.ready(held);
            receiver.ask(session, acquire("k", 0));
            leaveOnceAnswered();
            assertThat(storage.journal).containsExactly("claim k", "release k", "release next");
            assertThat(bench.released()).startsWith(held.grant().token());
        }

        @Test
        void givesThePlaceUpBeforeTheNextCallIsCarriedOut() {
            storage.claims.ready(ScriptedStorage.queued("k"));
            storage.leaves.ready(LeaveOutcome.LEFT);
            receiver.ask(session, enqueue("k"));
            leaveOnceAnswered();
            assertThat(storage.journal).containsExactly("claim k", "leave k", "release next");
        }
    }

    @Nested
    class AnAnswerThatIsLost {
        @Test
        void givesTheSlotBack() {
            storage.claims.ready(storage.held("k"));
            FakeReceiver receiver = bench.ask(acquire("k", 0));
            Granted granted = (Granted) receiver.answer();
            receiver.loseAnswer();
            assertThat(bench.released()).containsExactly(granted.grant().token());
        }

        @Test
        void givesThePlaceUpBeforeThoseThatAreWaitingForTheirTurn() {
            Queued queued = ScriptedStorage.queued("k");
            storage.claims.ready(queued);
            FakeReceiver lost = bench.ask(enqueue("k"));
            FakeReceiver poll = bench.poll("other");
            FakeReceiver waiting = bench.ask(await("k", 10));
            lost.loseAnswer();
            assertThat(storage.leaves.asked()).isEmpty();
            poll.leave();
            storage.leaves.answer(LeaveOutcome.LEFT);
            bench.run();
            assertThat(storage.leaves.asked()).hasSize(2).last().isEqualTo(queued.ticket());
            storage.leaves.answer(LeaveOutcome.LEFT);
            bench.run();
            assertThat(waiting.answers).containsExactly(Plain.NOT_ENQUEUED);
        }

        @Test
        void givesBackWhatThePlaceWasGrantedMeanwhile() {
            Queued queued = ScriptedStorage.queued("k");
            storage.claims.ready(queued);
            FakeReceiver lost = bench.ask(enqueue("k"));
            Grant grant = bench.grantTo(queued.ticket());
            bench.run();
            lost.loseAnswer();
            storage.renewals.answer(RenewOutcome.RENEWED);
            bench.run();
            assertThat(bench.released()).containsExactly(grant.token());
        }

        @Test
        void afterTheEndOfTheSessionChangesNothing() {
            storage.claims.ready(ScriptedStorage.queued("k"));
            FakeReceiver lost = bench.ask(enqueue("k"));
            Future<Void> closed = session.close(LockSession::close);
            loop.run();
            lost.loseAnswer();
            storage.leaves.answer(LeaveOutcome.LEFT);
            bench.run();
            assertThat(closed.succeeded()).isTrue();
            assertThat(storage.journal).containsExactly("claim k", "leave k");
        }

        @Test
        void thatLeftNothingBehindIsNoMatter() {
            assertThat(Plain.TIMEOUT.leavesSomething()).isFalse();
            assertThat(Plain.RELEASED.leavesSomething()).isFalse();
            assertThat(Plain.QUEUED.leavesSomething()).isTrue();
            Grant grant = storage.grant("k");
            assertThat(new Granted(grant, 1).leavesSomething()).isTrue();
            assertThat(new Acquired(grant, 1).leavesSomething()).isTrue();
        }
    }
}
