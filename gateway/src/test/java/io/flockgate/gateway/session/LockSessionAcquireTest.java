package io.flockgate.gateway.session;

import static io.flockgate.gateway.session.Client.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.session.LockRequest.Acquire;
import io.flockgate.gateway.session.Outcome.Granted;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.vertx.core.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Claims that take one request, releases and renewals. */
class LockSessionAcquireTest {
    private final Client client = new Client();

    static Stream<Play.Scenario> claims() {
        return Play.scenarios("""
                a claim may be answered on another thread
                    acquire k 10 -> claim k; ~elsewhere claim: free; turn -> GRANTED k#1
                a refusal is the answer, at once
                    claim: {BUSY|MAX_LOCKS|MAX_HOLDERS|MAX_WAITERS|LIMIT_MISMATCH|KIND_MISMATCH}
                    acquire k 0 -> claim k, {TIMEOUT|MAX_LOCKS|MAX_HOLDERS|MAX_WAITERS|LIMIT_MISMATCH|LIMIT_MISMATCH}
                a refusal is the answer, later
                    acquire k 0 -> claim k; claim: {BUSY|MAX_LOCKS|KIND_MISMATCH} -> {TIMEOUT|MAX_LOCKS|LIMIT_MISMATCH}
                a failure is the answer, at once or later, and ends the wait
                    claim: fails {NOT_DONE|UNKNOWN}; acquire k 10 -> claim k, FAILED {NOT_DONE|UNKNOWN}
                    acquire k 10 -> claim k; claim: fails {NOT_DONE|UNKNOWN} -> FAILED {NOT_DONE|UNKNOWN}; 20s
                a failure in a way not agreed on has an unknown effect
                    claim: breaks; acquire k 10 -> claim k, FAILED UNKNOWN unexpectedly
                """);
    }

    static Stream<Play.Scenario> waits() {
        return Play.scenarios("""
                a wait ends with its grant
                    waitFor k 10; ~elsewhere grant k@1; turn -> GRANTED k#1
                a wait whose time is over gives up its place
                    waitFor k 2; 1999ms; leave: LEFT; 1ms -> leave k@1, TIMEOUT
                a wait is not ended by the time of an earlier one
                    waitFor k 2; grant k@1 -> GRANTED k#1; 1s; waitFor other 2; 1500ms
                a grant that comes while the place is given up ends the wait
                    waitFor k 1; 1s -> leave k@1; leave: GRANTED; grant k@1 -> GRANTED k#1
                a grant that came before the place was given up ends the wait
                    waitFor k 1; 1s -> leave k@1; ~grant k@1; leave: GRANTED -> GRANTED k#1
                a wait that is over before the storage answers still takes a free slot
                    acquire k 1 -> claim k; 1s; claim: free -> GRANTED k#1
                a wait that is over before the storage answers gives up the place that it gets
                    acquire k 1 -> claim k; 1s; leave: LEFT; claim: queue -> leave k@1, TIMEOUT
                a wait whose place cannot be given up fails, and gives back what it gets later
                    waitFor k 1; 1s -> leave k@1; leave: fails NOT_DONE -> FAILED NOT_DONE; grant k@1 -> release k#1
                a grant is known that overtakes the report of its place
                    acquire k 10 -> claim k; place k; ~elsewhere grant k@1; elsewhere claim: k@1 -> GRANTED k#1; 20s
                a grant that cannot be made durable fails the wait
                    waitFor k 10; fail k@1 UNKNOWN -> FAILED UNKNOWN; 20s
                a grant for another wait is given back
                    waitFor k 10; remove k@1 -> TIMEOUT; waitFor k 10; grant k@1 -> release k#1
                """);
    }

    static Stream<Play.Scenario> lateGrants() {
        return Play.scenarios("""
                a late grant gets its whole lease again before it is the answer
                    waitFor k 10; ~grant k@1; stall 501ms; turn -> renew k#1 33; renew: RENEWED -> GRANTED k#1
                a grant is not late for half a second
                    waitFor k 10; ~grant k@1; stall 500ms; turn -> GRANTED k#1
                a late grant that has ended has expired
                    waitFor k 10; ~grant k@1; stall 501ms
                    renew: {NOT_HELD|LEASE_EXPIRED} -> renew k#1 33, LEASE_EXPIRED
                a late grant that cannot be renewed is given back
                    waitFor k 10; ~grant k@1; stall 501ms
                    renew: fails {NOT_DONE|UNKNOWN} -> renew k#1 33, release k#1, FAILED {NOT_DONE|UNKNOWN}
                """);
    }

    static Stream<Play.Scenario> cancelledWaits() {
        return Play.scenarios("""
                a cancelled wait is answered when its place is given up
                    waitFor k 10; cancel -> leave k@1; leave: LEFT -> CANCELLED
                a cancelled wait gives back a grant that comes in that instant
                    waitFor k 10; cancel -> leave k@1; grant k@1 -> release k#1, CANCELLED; leave: GRANTED
                a cancelled wait gives back the slot that it gets
                    acquire k 10 -> claim k; cancel; claim: free -> release k#1, CANCELLED
                a wait that is cancelled after its time leaves only once
                    waitFor k 1; 1s -> leave k@1; cancel; leave: LEFT -> CANCELLED
                a cancelled wait stays so when its time is up
                    waitFor k 1; cancel -> leave k@1; 1s; grant k@1 -> release k#1, CANCELLED
                without a wait there is nothing to cancel
                    hold k; cancel
                """);
    }

    static Stream<Play.Scenario> removedWaits() {
        return Play.scenarios("""
                a wait whose claim an operator removes ends as at its timeout
                    waitFor k 5; remove k@1 -> TIMEOUT; 20s
                a removed wait ends once when its time is up in the same moment
                    waitFor k 5; timeOut -> leave k@1; remove k@1 -> TIMEOUT; leave: GRANTED
                a cancelled wait that is removed stays cancelled
                    waitFor k 5; cancel -> leave k@1; ~leave: GRANTED; remove k@1 -> CANCELLED
                a removal may come before the answer to the claim
                    acquire k 5 -> claim k; ~claim: queue; remove k@1 -> TIMEOUT
                a removal ends no later wait
                    waitFor k 5; remove k@1 -> TIMEOUT; waitFor k 5; remove k@1
                """);
    }

    static Stream<Play.Scenario> tokens() {
        return Play.scenarios("""
                a release is answered as the storage answers, at once or later
                    release: {RELEASED|NOT_HELD}; release k#9 -> release k#9, {RELEASED|NOT_HELD}
                    release k#9 -> release k#9; release: {RELEASED|NOT_HELD} -> {RELEASED|NOT_HELD}
                a renewal is answered with the seconds asked for
                    renew: {RENEWED|NOT_HELD|LEASE_EXPIRED}
                    renew k#9 60 -> renew k#9 60, {RENEWED 60|NOT_HELD|NOT_HELD}
                failures of releases and renewals are passed on
                    release: fails {NOT_DONE|UNKNOWN}; release k#9 -> release k#9, FAILED {NOT_DONE|UNKNOWN}
                    renew: fails {NOT_DONE|UNKNOWN}; renew k#9 60 -> renew k#9 60, FAILED {NOT_DONE|UNKNOWN}
                a grant that has ended is no longer the session's
                    hold kept; hold ended; elsewhere end ended#2 EXPIRED; close -> release kept#1
                """);
    }

    @ParameterizedTest
    @MethodSource({"claims", "waits", "lateGrants", "cancelledWaits", "removedWaits", "tokens"})
    void aSessionActsAsScripted(Play.Scenario scenario) {
        new SessionPlay(client).play(scenario.script());
    }

    @Test
    void aClaimThatFindsAFreeSlotIsAnsweredAtOnceWithoutTurnOrTimer() {
        Held held = client.storage.held("k");
        client.storage.claims.ready(held);
        client.acquire("k", 10);
        assertThat(client.answers).containsExactly(new Granted(held.grant(), LEASE));
        assertThat(client.loop.posts()).isZero();
        assertThat(client.loop.timersStarted()).isZero();
    }

    @Test
    void aClaimNamesItsClaimant() {
        client.acquire("k", 10);
        assertThat(client.claimant().id()).isEqualTo(7);
        assertThat(client.storage.claims.last().claim()).isEqualTo(Client.claim("k", true));
    }

    @Test
    void aCancellationEndsNoRequestThatBeginsAfterIt() {
        Client client = new Client();
        client.session.carryOut(new Acquire(Client.claim("one", true), 10), outcome -> client.acquire("two", 10));
        Client.elsewhere(() -> client.storage.claims.answer(new Held(client.storage.grant("one"))));
        client.session.cancelWait();
        client.loop.run();
        client.storage.claims.answer(new Held(client.storage.grant("two")));
        client.loop.run();
        assertThat(client.answers).singleElement().isInstanceOf(Granted.class);
    }

    @ParameterizedTest
    @CsvSource({"1, 50", "10, 500", "33, 500", "9223372036, 500"})
    void aGrantIsFreshForATwentiethOfItsLeaseAndHalfASecondAtMost(long leaseSeconds, long millis) {
        Future<ClaimOutcome> unanswered = Future.failedFuture("never read");
        Claim claim = new Claim(Key.of("k"), Kind.LOCK, 1, leaseSeconds, true);
        PendingClaim wait = new PendingClaim(claim, false, 0, unanswered);
        Grant grant = ScriptedStorage.grant("k", 1, 7);

        assertThat(wait.isFresh(grant, 7 + TimeUnit.MILLISECONDS.toNanos(millis)))
                .isTrue();
        assertThat(wait.isFresh(grant, 8 + TimeUnit.MILLISECONDS.toNanos(millis)))
                .isFalse();
    }
}
