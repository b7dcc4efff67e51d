package io.flockgate.gateway.session;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The storage gives up what a client holds. */
class LockSessionLostTest {
    static Stream<Play.Scenario> losses() {
        return Play.scenarios("""
                a loss is reported
                    hold k; elsewhere end k#1 {LOST|EVICTED} -> LOST; idle -> IDLE
                another ending is not reported
                    hold k; elsewhere end k#1 {RELEASED|EXPIRED}; idle -> IDLE
                a loss is reported only to a client that holds nothing else, because its connection is worth more
                    hold k; hold l; end k#1 {LOST|EVICTED}; idle -> BUSY; end l#2 {LOST|EVICTED} -> LOST
                a loss ends no enqueued claim and no wait
                    hold k; enqueueBehind l; end k#1 {LOST|EVICTED}; idle -> BUSY
                a loss is reported to a client whose only enqueued claim has ended
                    hold k; enqueueFree l; ~end l#2 EXPIRED; end k#1 {LOST|EVICTED} -> LOST
                a loss between enqueue and wait is left to the wait
                    enqueueFree k; end k#1 {LOST|EVICTED}
                a loss while the wait renews is left to the wait
                    enqueueFree k; await k 0 -> renew k#1 33; end k#1 {LOST|EVICTED}
                a loss of a grant that the client does not know yet is left to its wait
                    enqueueBehind k; ~grant k@1; end k#1 LOST
                a loss after the wait is reported
                    enqueueBehind k; ~grant k@1; ~renew: RENEWED; await k 0 -> renew k#1 33, GRANTED k#1
                    end k#1 {LOST|EVICTED} -> LOST
                a loss is reported outside the call of the storage
                    hold k; ~end k#1 LOST; turn -> LOST
                a loss of what was given back before is not reported
                    hold k; ~end k#1 RELEASED; end k#1 LOST
                a client that has introduced itself learns which grant it lost
                    introduce again -> INTRODUCED; hold k; hold l; end k#1 {LOST|EVICTED} -> LOST k#1
                """);
    }

    @ParameterizedTest
    @MethodSource("losses")
    void aSessionActsAsScripted(Play.Scenario scenario) {
        new SessionPlay(new Client()).play("listen\n" + scenario.script());
    }
}
