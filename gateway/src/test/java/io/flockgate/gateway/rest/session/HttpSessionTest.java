package io.flockgate.gateway.rest.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.session.Play;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HttpSessionTest {
    private final HttpPlay session = new HttpPlay();

    static Stream<Play.Scenario> calls() {
        return Play.scenarios("""
                calls are carried out one at a time in the order in which they came
                    longPoll a; b: release b#9; c: renew c#9 33; 10s -> leave a@1
                    leave: LEFT -> poll TIMEOUT, release b#9; release: RELEASED -> b RELEASED, renew c#9 33
                    renew: RENEWED -> c RENEWED 33
                calls that fail do not stop those behind them
                    a: release a#9 -> release a#9; b: await b 0; release: fails UNKNOWN -> a FAILED UNKNOWN, b NOT_ENQUEUED
                a call from elsewhere is handed over both ways
                    claim: free; ~far: acquire a 0; ~home -> claim a; ~away -> far GRANTED a#1
                a call from elsewhere may find the session gone
                    ~close; ~far: acquire a 0; turn -> CLOSED, far CANCELLED
                """);
    }

    static Stream<Play.Scenario> throwing() {
        return Play.scenarios("""
                a storage that throws leaves the session usable
                    claim: throws; a: enqueue a -> claim a, a FAILED UNKNOWN unexpectedly
                    release: throws; b: release b#9 -> release b#9, b FAILED UNKNOWN unexpectedly
                    renew: throws; c: renew c#9 33 -> renew c#9 33, c FAILED UNKNOWN unexpectedly
                    next: release next#9 -> release next#9
                a storage that throws when no client listens any more leaves the session usable
                    longPoll a; b: release b#9; b leaves; c: renew c#9 33; c leaves; release: throws; renew: throws
                    poll leaves -> leave a@1; leave: LEFT -> release b#9, renew c#9 33
                    next: release next#9 -> release next#9
                a storage that throws when a grant is given back leaves the session usable
                    a: {acquire a 1|acquire a 0|enqueue a} -> claim a; a leaves; release: throws; claim: free -> release a#1
                    next: release next#9 -> release next#9
                """);
    }

    static Stream<Play.Scenario> idling() {
        return Play.scenarios("""
                a session is idle when no call has come or gone for longer than that
                    60s; idle -> BUSY; mayBeIdle -> BUSY; 1ms; idle -> IDLE; mayBeIdle -> IDLE
                a session is not idle when it has been asked for
                    180s; seen; 60s; idle -> BUSY
                a session is not idle while a call is under way, and from its end for that long
                    a: release a#9 -> release a#9; 180s; idle -> BUSY; release: RELEASED -> a RELEASED
                    60s; idle -> BUSY; 1ms; idle -> IDLE
                """);
    }

    @ParameterizedTest
    @MethodSource({"calls", "throwing", "idling"})
    void aSessionActsAsScripted(Play.Scenario scenario) {
        session.play(scenario.script());
    }

    static Stream<Play.Scenario> closing() {
        return Play.scenarios("""
                an idle session ends in its event loop's next turn
                    ~close; turn -> CLOSED
                an idle session ends even if the storage throws
                    hold held; enqueueBehind queued; leave: throws; release: throws
                    close -> leave queued@1, release held#1, CLOSED, FAILED UNKNOWN unexpectedly
                a long poll is cancelled, and those behind it are answered at once
                    longPoll k; b: acquire b 10; c: release c#9; close -> b CANCELLED, c CANCELLED, leave k@1
                    leave: LEFT -> poll CANCELLED, CLOSED
                a long poll is answered before the session gives back what it holds
                    hold held; longPoll k; close -> leave k@1
                    leave: LEFT -> poll CANCELLED, release held#1; release: RELEASED -> CLOSED
                a long poll that is left in that instant is not answered
                    longPoll k; poll leaves -> leave k@1; close; leave: LEFT -> CLOSED
                a long poll from another loop is answered there
                    claim: queue; far: acquire k 10 -> claim k; close -> leave k@1; ~leave: LEFT
                    ~home -> CLOSED; turn -> far CANCELLED
                calls that were left before their turn are dropped with the session
                    enqueueBehind k; longPoll first; a: release x#9; b: await k 10; a leaves; b leaves
                    close -> leave first@2; leave: LEFT -> poll CANCELLED, leave k@1; leave: LEFT -> CLOSED
                """);
    }

    static Stream<Play.Scenario> closingDuringACall() {
        return Play.scenarios("""
                an acquire that is granted late is cancelled, and the grant given back
                    a: acquire k 0 -> claim k; close; claim: free -> release k#1, a CANCELLED, CLOSED
                an enqueue that is granted late is cancelled, and the grant given back
                    a: enqueue k -> claim k; close; claim: free -> release k#1, a CANCELLED, release k#1
                    release: RELEASED; release: NOT_HELD -> CLOSED
                a release is answered with what came of it
                    a: release k#9 -> release k#9; close; release: RELEASED -> a RELEASED, CLOSED
                a call whose grant cannot be given back is answered all the same
                    a: enqueue k -> claim k; close; release: throws; claim: free -> release k#1, a CANCELLED, release k#1
                    release: RELEASED -> CLOSED
                a grant on its way to a client that has gone is undone too
                    claim: free; ~far: acquire k 0; ~home -> claim k; ~far leaves; close -> release k#1, release k#1
                    release: RELEASED -> CLOSED; release: NOT_HELD
                """);
    }

    @ParameterizedTest
    @MethodSource({"closing", "closingDuringACall"})
    void aSessionThatClosesActsAsScriptedAndIsGoneForLaterCalls(Play.Scenario scenario) {
        session.play(scenario.script());
        session.settle();
        session.play("late: acquire late 0 -> late CANCELLED; later: release late#9 -> later CANCELLED");
    }

    @Test
    void aCallIsAnsweredAtOnceWhenTheStorageDoesSo() {
        session.play("~claim: free; ~a: acquire a 0 -> claim a, a GRANTED a#1");
        assertThat(session.loop.posts()).isZero();
    }

    @Test
    void manyCallsBehindALongPollAllHaveTheirTurn() {
        session.play("longPoll a");
        for (int i = 0; i < HttpPlay.MAX_CALLS; i++) {
            session.storage.releases.ready(ReleaseOutcome.RELEASED);
            session.play("b: release b#9");
        }
        session.play("10s -> leave a@1\nleave: LEFT -> poll TIMEOUT"
                + ", release b#9, b RELEASED".repeat(HttpPlay.MAX_CALLS));
    }

    @Nested
    class CallsThatWaitInAllSessionsTogether {
        private final Gate gate = new Gate(Map.of(Resource.CALL, new Gate.Caps(2, 0)));
        private final HttpPlay one = new HttpPlay(gate);
        private final HttpPlay two = new HttpPlay(gate);

        @Test
        void areOnlySoMany() {
            one.play("longPoll k; a: release a#9");
            two.play("longPoll k; b: release b#9; d: release d#9 -> d OVERLOADED");
            one.play("c: release c#9 -> c OVERLOADED");
            assertThat(gate.count(Resource.CALL)).isEqualTo(2);
        }

        @Test
        void countNoMoreOnceTheyAreCarriedOutOrLeaveOrTheirSessionEnds() {
            one.play("longPoll k; a: release a#9; b: acquire b 0; b leaves");
            assertThat(gate.count(Resource.CALL)).isOne();
            one.play("release: RELEASED; poll leaves -> leave k@1; leave: LEFT -> release a#9, a RELEASED");
            assertThat(gate.count(Resource.CALL)).isZero();
            two.play("longPoll k; c: release c#9");
            assertThat(gate.count(Resource.CALL)).isOne();
            two.play("close -> c CANCELLED, leave k@1");
            assertThat(gate.count(Resource.CALL)).isZero();
        }

        @Test
        void doNotKeepACallFromASessionThatIsFree() {
            one.play("longPoll k; a: release a#9; b: release b#9");
            two.play("release: RELEASED; c: release c#9 -> release c#9, c RELEASED");
        }
    }
}
