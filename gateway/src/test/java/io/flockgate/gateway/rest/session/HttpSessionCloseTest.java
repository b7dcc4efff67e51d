package io.flockgate.gateway.rest.session;

import io.flockgate.gateway.session.Play;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HttpSessionCloseTest {
    static Stream<Play.Scenario> polls() {
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

    static Stream<Play.Scenario> calls() {
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
    @MethodSource({"polls", "calls"})
    void aSessionActsAsScriptedAndIsGoneForLaterCalls(Play.Scenario scenario) {
        HttpPlay session = new HttpPlay();
        session.play(scenario.script());
        session.settle();
        session.play("late: acquire late 0 -> late CANCELLED; later: release late#9 -> later CANCELLED");
    }
}
