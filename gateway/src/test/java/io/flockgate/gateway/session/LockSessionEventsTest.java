package io.flockgate.gateway.session;

import static io.flockgate.gateway.session.Client.elsewhere;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a session reports to the metrics, to an operator who watches, and to a client that loses
 * what it holds.
 */
class LockSessionEventsTest {
    private final Client client = new Client();

    static Stream<Play.Scenario> grants() {
        return Play.scenarios("""
                a grant of a free key comes at once
                    hold k; events -> LOCK at once, granted k#1
                a grant of a free key comes at once however long the storage takes to say so
                    acquire k 5 -> claim k; stall 1ms; claim: free -> GRANTED k#1; events -> LOCK at once, granted k#1
                a grant of a held key tells the wait and the hand-over
                    waitFor k 10; 3s; ~grant k@1; stall 5ms; turn -> GRANTED k#1
                    events -> LOCK after PT3S, handed over in PT0.005S, queued k, granted k#1
                a grant that overtakes the report of its place has waited since its claim
                    acquire k 10 -> claim k; 1s; ~elsewhere claim: queue; elsewhere grant k@1 -> GRANTED k#1
                    events -> LOCK after PT1S, handed over in PT0S, queued k, granted k#1
                a stale grant is handed over when its lease has begun anew
                    waitFor k 10; ~grant k@1; stall 1s; turn -> renew k#1 33; stall 1s
                    events -> LOCK after PT0S, queued k, granted k#1
                    renew: RENEWED -> GRANTED k#1; events -> handed over in PT2S
                a grant whose lease is over before its notification is not handed over
                    waitFor k 10; ~grant k@1; stall 1s; renew: LEASE_EXPIRED -> renew k#1 33, LEASE_EXPIRED
                    events -> LOCK after PT0S, queued k, granted k#1
                a grant that is given back, because its client has gone, is none
                    waitFor k 10; leave: GRANTED; ~grant k@1; close -> leave k@1, CLOSED, release k#1
                    events -> queued k, session_ended
                """);
    }

    static Stream<Play.Scenario> grantsInTwoPhases() {
        return Play.scenarios("""
                in two phases, a grant of a free key is not reported again by its wait
                    enqueueFree k; renew: RENEWED; await k 5 -> renew k#1 33, GRANTED k#1
                    events -> LOCK at once, granted k#1
                in two phases, a grant that is waited for has waited since its enqueue
                    enqueueBehind k; 1s; await k 10; 1s; ~grant k@1; stall 1ms; turn -> GRANTED k#1
                    events -> LOCK after PT2S, handed over in PT0.001S, queued k, granted k#1
                in two phases, a grant that comes before its wait is not handed over
                    enqueueBehind k; 1s; ~grant k@1; 1s; renew: RENEWED; await k 10 -> renew k#1 33, GRANTED k#1
                    events -> LOCK after PT1S, queued k, granted k#1
                in two phases, a grant that is waited for before the loop has seen it is reported once
                    enqueueBehind k; ~grant k@1; ~renew: RENEWED; await k 10 -> renew k#1 33, GRANTED k#1
                    events -> LOCK after PT0S, queued k, granted k#1
                in two phases, a grant ends once
                    enqueueFree k; 1s; end k#1 EXPIRED
                    events -> LOCK at once, LOCK EXPIRED after PT1S, granted k#1, expired k#1
                """);
    }

    static Stream<Play.Scenario> others() {
        return Play.scenarios("""
                an ending tells how long the grant was held
                    hold k; 4s; end k#1 {RELEASED|EXPIRED|EVICTED|LOST}
                    events -> LOCK at once, LOCK {RELEASED|EXPIRED|EVICTED|LOST} after PT4S, granted k#1, {released|expired|lost|lost} k#1
                a refusal is reported for acquire and enqueue
                    claim: {BUSY|MAX_HOLDERS|KIND_MISMATCH}; acquire k 0 -> claim k, {TIMEOUT|MAX_HOLDERS|LIMIT_MISMATCH}
                    events -> refused: {BUSY|MAX_HOLDERS|KIND_MISMATCH}, refused k as {busy|max_holders|kind_mismatch}
                    claim: {BUSY|MAX_HOLDERS|KIND_MISMATCH}; enqueue k -> claim k, {TIMEOUT|MAX_HOLDERS|LIMIT_MISMATCH}
                    events -> refused: {BUSY|MAX_HOLDERS|KIND_MISMATCH}, refused k as {busy|max_holders|kind_mismatch}
                a wait that times out is no event
                    leave: LEFT; waitFor k 1; 2s -> leave k@1, TIMEOUT; events -> queued k
                a session begins and ends
                    began; close -> CLOSED; events -> session_began, session_ended
                """);
    }

    @ParameterizedTest
    @MethodSource({"grants", "grantsInTwoPhases", "others"})
    void aSessionReportsAsScripted(Play.Scenario scenario) {
        new SessionPlay(client).play(scenario.script());
        assertThat(client.feed.read(0, Integer.MAX_VALUE).events())
                .extracting(event -> Objects.requireNonNull(event.client()).id())
                .containsOnly(7L);
    }

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
    void aLossIsReportedAsScripted(Play.Scenario scenario) {
        new SessionPlay(client).play("listen\n" + scenario.script());
    }

    @Test
    void anEndIsReportedOnTheThreadItComesOn() {
        Grant grant = client.hold("k");
        Claimant claimant = client.claimant();
        elsewhere(() -> claimant.ended(grant, Ending.EXPIRED));
        assertThat(client.events.take()).hasSize(2).last().asString().startsWith("LOCK EXPIRED after PT");
    }

    @Test
    void nobodyNeedListen() {
        LockSession unheard =
                new SessionFactory(client.storage, true, Client.limits()).make(client.loop, ClientDescription.UNKNOWN);
        Held held = client.storage.held("k");
        client.storage.claims.ready(held);
        unheard.carryOut(new LockRequest.Acquire(Client.claim("k", false), 0), client.answers::add);
        unheard.ended(held.grant(), Ending.RELEASED);
        assertThat(client.answers).hasSize(1);
    }
}
