package io.flockgate.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Nothing that arrives after the end is answered, and no timer keeps running. */
class LockSessionCloseTest {
    static Stream<Play.Scenario> closes() {
        return Play.scenarios("""
                a session with nothing to give back closes at once
                    close -> CLOSED
                places are given up before what is held, and the close waits for both
                    hold held; enqueueBehind queued; close -> leave queued@1, release held#1
                    release: RELEASED; leave: LEFT -> CLOSED
                a close fails with the first failure once all is over
                    hold a; hold b; close -> release a#1, release b#2
                    release: fails UNKNOWN; release: fails NOT_DONE -> CLOSED, FAILED UNKNOWN
                what was enqueued and granted is given back
                    enqueueFree a; enqueueBehind b; grant b@1; close -> release a#1, release b#2
                the place of a wait is given up, and a grant that comes in that instant given back
                    waitFor k 10; close -> leave k@1, CLOSED; grant k@1 -> release k#1
                a grant notified just before is given back
                    waitFor k 10; ~grant k@1; close -> leave k@1, CLOSED, release k#1
                a late grant that was being renewed is given back
                    waitFor k 10; ~grant k@1; stall 501ms; turn -> renew k#1 33; close -> CLOSED
                    renew: RENEWED -> release k#1
                a place of two phases is given up, and a grant that comes meanwhile given back
                    enqueueBehind k; await k 10; leave: GRANTED; ~close -> leave k@1, leave k@1; grant k@1 -> release k#1
                a slot that a claim gets later is given back
                    {acquire k 10|enqueue k} -> claim k; close -> CLOSED; claim: free -> release k#1
                a place that a claim gets later is given up, and a grant that comes in that instant given back
                    {acquire k 10|enqueue k} -> claim k; close -> CLOSED; claim: queue -> leave k@1; grant k@1 -> release k#1
                a claim that fails later leaves nothing
                    {acquire k 10|enqueue k} -> claim k; close -> CLOSED; claim: fails UNKNOWN
                other requests get no answer
                    release k#9 -> release k#9; renew k#9 5 -> renew k#9 5; close -> CLOSED
                    release: RELEASED; renew: RENEWED
                an entry that an operator removes meanwhile does not matter
                    enqueueBehind k; close -> leave k@1; remove k@1; leave: GRANTED -> CLOSED
                """);
    }

    static Stream<Play.Scenario> settling() {
        return Play.scenarios("""
                a session is settled at once when nothing is pending
                    hold k; release: RELEASED; close -> release k#1, CLOSED; settled -> SETTLED
                a session is settled once its claim has left the queue
                    {acquire k 10|enqueue k} -> claim k; close -> CLOSED; settled
                    claim: queue -> leave k@1; leave: LEFT -> SETTLED
                a session is settled once its wait has left the queue
                    waitFor k 10; close -> leave k@1, CLOSED; settled; leave: fails UNKNOWN -> SETTLED
                a session is settled once its slots are released
                    hold k; close -> release k#1; settled; release: RELEASED -> CLOSED, SETTLED
                """);
    }

    static Stream<Play.Scenario> withoutAutoRelease() {
        return Play.scenarios("""
                without auto-release, what is held is kept and places are given up
                    hold held; enqueueFree acquired; enqueueBehind queued; close -> leave queued@1; leave: LEFT -> CLOSED
                without auto-release, what the client never heard of is given back
                    waitFor k 10; close -> leave k@1, CLOSED; grant k@1 -> release k#1
                without auto-release, a close at the client's request keeps its grants too
                    hold k; closeAtRequest -> CLOSED
                a close leaves no handler to the grants that go on
                    listen; hold k; close -> CLOSED; end k#1 LOST
                """);
    }

    @ParameterizedTest
    @MethodSource({"closes", "settling"})
    void aSessionActsAsScripted(Play.Scenario scenario) {
        play(scenario, new Client());
    }

    @ParameterizedTest
    @MethodSource("withoutAutoRelease")
    void aSessionWithoutAutoReleaseActsAsScripted(Play.Scenario scenario) {
        play(scenario, new Client(false));
    }

    private static void play(Play.Scenario scenario, Client client) {
        new SessionPlay(client).play(scenario.script() + "\n1h");
        assertThat(client.loop.timersRunning()).isZero();
    }

    @Test
    void veryManyGrantsAreGivenBackInBitesSoThatOthersGetTheirTurns() {
        Client client = new Client();
        for (int i = 0; i < 10_000; i++) {
            client.hold("k" + i);
        }
        Future<Void> done = client.close();
        for (int most = 512; most < 10_000; most += 512) {
            client.loop.run();
            assertThat(client.released()).hasSize(most);
            assertThat(done.isComplete()).isFalse();
            client.loop.pass(Duration.ofMillis(1));
        }
        assertThat(client.released()).hasSize(10_000).doesNotHaveDuplicates();
        client.storage.releases.answerAll(ReleaseOutcome.RELEASED);
        client.loop.run();
        assertThat(done.isComplete()).isTrue();
    }
}
