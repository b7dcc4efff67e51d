package io.flockgate.gateway.rest.session;

import static io.flockgate.gateway.rest.session.SessionBench.acquire;
import static io.flockgate.gateway.rest.session.SessionBench.await;
import static io.flockgate.gateway.rest.session.SessionBench.release;
import static io.flockgate.gateway.rest.session.SessionBench.renew;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.gateway.eventloop.FakeEventLoop;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.session.LockRequest;
import io.flockgate.gateway.session.LockSession;
import io.flockgate.gateway.session.Outcome;
import io.flockgate.gateway.session.Outcome.Granted;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.gateway.session.ScriptedStorage;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.StorageException.Effect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class HttpSessionTest {
    private final SessionBench bench = new SessionBench();
    private final HttpSession session = bench.session;
    private final FakeEventLoop loop = bench.loop;
    private final ScriptedStorage storage = bench.storage;

    @Nested
    class Calls {
        @Test
        void areCarriedOutOneAtATimeInTheOrderInWhichTheyCame() {
            FakeReceiver poll = bench.poll("a");
            FakeReceiver second = bench.ask(release("b"));
            FakeReceiver third = bench.ask(renew("c"));
            bench.run();
            assertThat(storage.journal).containsExactly("claim a");
            loop.pass(Duration.ofSeconds(10));
            storage.leaves.answer(LeaveOutcome.LEFT);
            bench.run();
            assertThat(poll.answers).containsExactly(Plain.TIMEOUT);
            assertThat(storage.journal).containsExactly("claim a", "leave a", "release b");
            storage.releases.answer(ReleaseOutcome.RELEASED);
            bench.run();
            assertThat(second.answers).containsExactly(Plain.RELEASED);
            storage.renewals.answer(RenewOutcome.RENEWED);
            bench.run();
            assertThat(third.answers).containsExactly(new Outcome.Renewed(SessionBench.LEASE));
        }

        @Test
        void waitUntilTheAnswerBeforeThemIsOnItsWay() {
            storage.claims.ready(storage.held("a"));
            FakeReceiver slow = FakeReceiver.slowOn(loop).ask(session, acquire("a", 0));
            bench.ask(release("b"));
            assertThat(slow.answers).hasSize(1);
            assertThat(storage.journal).containsExactly("claim a");
            slow.render();
            assertThat(storage.journal).containsExactly("claim a", "release b");
        }

        @Test
        void areAnsweredAtOnceWhenTheStorageDoesSo() {
            storage.claims.ready(storage.held("a"));
            assertThat(bench.ask(acquire("a", 0)).answer()).isInstanceOf(Granted.class);
            assertThat(loop.posts()).isZero();
        }

        @Test
        void areManyBehindALongPollAndAllHaveTheirTurn() {
            FakeReceiver poll = bench.poll("a");
            List<FakeReceiver> callers = new ArrayList<>();
            for (int i = 0; i < SessionBench.MAX_CALLS; i++) {
                storage.releases.ready(ReleaseOutcome.RELEASED);
                callers.add(bench.ask(release("k" + i)));
            }
            loop.pass(Duration.ofSeconds(10));
            storage.leaves.answer(LeaveOutcome.LEFT);
            bench.run();
            assertThat(poll.answers).hasSize(1);
            assertThat(callers)
                    .allSatisfy(receiver -> assertThat(receiver.answers).containsExactly(Plain.RELEASED));
        }

        @Test
        void thatFailDoNotStopThoseBehindThem() {
            FakeReceiver first = bench.ask(release("a"));
            FakeReceiver second = bench.ask(await("b", 0));
            storage.releases.fail(ScriptedStorage.failure(Effect.UNKNOWN));
            bench.run();
            assertThat(first.answer()).isInstanceOf(Outcome.Failed.class);
            assertThat(second.answers).containsExactly(Plain.NOT_ENQUEUED);
        }
    }

    @Nested
    class CallsThatWaitInAllSessionsTogether {
        private final Gate gate = new Gate(Map.of(Resource.CALL, new Gate.Caps(2, 0)), loop::now);
        private final HttpSession one = bench.session(gate);
        private final HttpSession two = bench.session(gate);

        @CanIgnoreReturnValue
        private FakeReceiver ask(HttpSession asked, LockRequest request) {
            return FakeReceiver.on(loop).ask(asked, request);
        }

        private void poll(HttpSession asked) {
            storage.claims.ready(ScriptedStorage.queued("polled"));
            ask(asked, acquire("polled", 10));
        }

        @Test
        void areOnlySoMany() {
            poll(one);
            poll(two);
            FakeReceiver first = ask(one, release("a"));
            FakeReceiver second = ask(two, release("b"));
            assertThat(ask(one, release("c")).overloadedReports()).isOne();
            assertThat(ask(two, release("d")).overloadedReports()).isOne();
            assertThat(first.heardNothing()).isTrue();
            assertThat(second.heardNothing()).isTrue();
            assertThat(gate.count(Resource.CALL)).isEqualTo(2);
        }

        @Test
        void countNoMoreOnceTheyAreCarriedOutOrLeaveOrTheirSessionEnds() {
            poll(one);
            ask(one, release("a"));
            ask(one, acquire("b", 0)).leave();
            assertThat(gate.count(Resource.CALL)).isOne();
            storage.releases.ready(ReleaseOutcome.RELEASED);
            loop.pass(Duration.ofSeconds(10));
            storage.leaves.answer(LeaveOutcome.LEFT);
            bench.run();
            assertThat(gate.count(Resource.CALL)).isZero();
            poll(two);
            ask(two, release("c"));
            assertThat(gate.count(Resource.CALL)).isOne();
            assertThat(two.close(LockSession::close).isComplete()).isFalse();
            bench.run();
            assertThat(gate.count(Resource.CALL)).isZero();
        }

        @Test
        void doNotKeepACallFromASessionThatIsFree() {
            poll(one);
            ask(one, release("a"));
            ask(one, release("b"));
            storage.releases.ready(ReleaseOutcome.RELEASED);
            assertThat(ask(two, release("c")).answers).containsExactly(Plain.RELEASED);
        }
    }

    @Nested
    class ACallFromElsewhere {
        @Test
        void isHandedOverBothWays() {
            storage.claims.ready(storage.held("a"));
            FakeReceiver receiver = FakeReceiver.on(bench.elsewhere).ask(session, acquire("a", 0));
            assertThat(storage.journal).isEmpty();
            loop.run();
            assertThat(storage.journal).containsExactly("claim a");
            assertThat(receiver.answers).isEmpty();
            bench.elsewhere.run();
            assertThat(receiver.answers).hasSize(1);
        }

        @Test
        void keepsTheSessionUntilItsAnswerIsOnItsWay() {
            storage.claims.ready(storage.held("a"));
            FakeReceiver.on(bench.elsewhere).ask(session, acquire("a", 0));
            loop.run();
            bench.ask(release("b"));
            loop.run();
            bench.elsewhere.run();
            assertThat(storage.journal).containsExactly("claim a");
            loop.run();
            assertThat(storage.journal).containsExactly("claim a", "release b");
        }

        @Test
        void mayFindTheSessionGone() {
            assertThat(session.close(LockSession::close).isComplete()).isFalse();
            FakeReceiver receiver = FakeReceiver.on(bench.elsewhere).ask(session, acquire("a", 0));
            bench.run();
            assertThat(receiver.goneReports()).isOne();
            assertThat(storage.journal).isEmpty();
        }
    }

    @Nested
    class AStorageThatThrows {
        private final IllegalStateException broken = new IllegalStateException("broken");

        @Test
        void atEachOfItsMethodsLeavesTheSessionUsable() {
            storage.claims.readyThrow(broken);
            storage.releases.readyThrow(broken);
            storage.renewals.readyThrow(broken);
            for (FakeReceiver receiver :
                    List.of(bench.ask(SessionBench.enqueue("a")), bench.ask(release("a")), bench.ask(renew("a")))) {
                assertThat(receiver.answer()).isInstanceOf(Outcome.Failed.class);
            }
            expectFree();
        }

        @Test
        void whenNobodyListensAnyMoreLeavesTheSessionUsable() {
            FakeReceiver poll = bench.poll("a");
            bench.ask(release("b")).leave();
            bench.ask(renew("c")).leave();
            storage.releases.readyThrow(broken);
            storage.renewals.readyThrow(broken);
            poll.leave();
            storage.leaves.answer(LeaveOutcome.LEFT);
            bench.run();
            assertThat(storage.journal).containsExactly("claim a", "leave a", "release b", "renew c");
            expectFree();
        }

        @Test
        void whenAGrantIsGivenBackLeavesTheSessionUsable() {
            for (LockRequest request : List.of(acquire("a", 1), acquire("a", 0), SessionBench.enqueue("a"))) {
                bench.ask(request).leave();
                storage.releases.readyThrow(broken);
                storage.claims.answer(storage.held("a"));
                bench.run();
            }
            assertThat(storage.releases.asked()).hasSize(3);
            expectFree();
        }

        private void expectFree() {
            int before = storage.journal.size();
            bench.ask(release("next"));
            bench.run();
            assertThat(storage.journal).hasSize(before + 1).endsWith("release next");
        }
    }

    @Nested
    class ASessionIsIdle {
        private static final long MINUTE = 60_000_000_000L;

        @Test
        void whenNoCallHasComeOrGoneForLongerThanThat() {
            loop.pass(Duration.ofMinutes(1));
            assertThat(session.isIdle(MINUTE)).isFalse();
            assertThat(session.mayBeIdle(MINUTE, loop.now())).isFalse();
            loop.pass(Duration.ofNanos(1));
            assertThat(session.isIdle(MINUTE)).isTrue();
            assertThat(session.mayBeIdle(MINUTE, loop.now())).isTrue();
        }

        @Test
        void notWhenItHasBeenAskedFor() {
            loop.pass(Duration.ofMinutes(3));
            session.seen(loop.now());
            loop.pass(Duration.ofMinutes(1));
            assertThat(session.isIdle(MINUTE)).isFalse();
        }

        @Test
        void notWhileACallIsUnderWayAndAnewFromItsEnd() {
            bench.ask(release("a"));
            loop.pass(Duration.ofMinutes(3));
            assertThat(session.isIdle(MINUTE)).isFalse();
            storage.releases.answer(ReleaseOutcome.RELEASED);
            bench.run();
            loop.pass(Duration.ofMinutes(1));
            assertThat(session.isIdle(MINUTE)).isFalse();
            loop.pass(Duration.ofNanos(1));
            assertThat(session.isIdle(MINUTE)).isTrue();
        }

        @Test
        void notWhileAnAnswerIsNotOnItsWay() {
            storage.claims.ready(storage.held("a"));
            FakeReceiver slow = FakeReceiver.slowOn(loop).ask(session, acquire("a", 0));
            loop.pass(Duration.ofMinutes(3));
            assertThat(session.isIdle(MINUTE)).isFalse();
            slow.render();
            loop.pass(Duration.ofMinutes(2));
            assertThat(session.isIdle(MINUTE)).isTrue();
        }
    }
}
