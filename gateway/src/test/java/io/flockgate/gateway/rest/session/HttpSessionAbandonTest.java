package io.flockgate.gateway.rest.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.session.Outcome.Acquired;
import io.flockgate.gateway.session.Outcome.Granted;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.gateway.session.Play;
import io.flockgate.gateway.session.ScriptedStorage;
import io.flockgate.storage.Grant;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Clients that disconnect: they must keep neither a slot nor a place. */
class HttpSessionAbandonTest {
    private final HttpPlay session = new HttpPlay();

    @AfterEach
    void theSessionIsFreeInTheEndAndNoTimerGoesOn() {
        session.settle();
        session.play("1h; idle -> IDLE");
        assertThat(session.loop.timersRunning()).isZero();
    }

    static Stream<Play.Scenario> leaving() {
        return Play.scenarios("""
                who leaves a long poll gives up the place before the next call is carried out
                    longPoll k; next: await x 0; poll leaves -> leave k@1; leave: LEFT -> next NOT_ENQUEUED
                who leaves an enqueue gives back the slot
                    a: enqueue k -> claim k; a leaves; claim: free -> release k#1
                who leaves an enqueue gives up the place before the next call is carried out
                    a: enqueue k -> claim k; next: await k 0; a leaves; claim: queue -> leave k@1
                    leave: LEFT -> next NOT_ENQUEUED
                who leaves an enqueue gives back a grant that comes while the place is given up
                    a: enqueue k -> claim k; a leaves; claim: queue -> leave k@1; ~grant k@1; leave: GRANTED -> release k#1
                who leaves a wait gives up the place
                    enqueueBehind k; a: await k 10; a leaves -> leave k@1
                who leaves after the answer changes nothing
                    hold a; b: await x 0 -> b NOT_ENQUEUED; b leaves
                """);
    }

    static Stream<Play.Scenario> leavingBeforeTheirTurn() {
        return Play.scenarios("""
                who leaves before its turn never claims
                    longPoll first; a: {acquire a 10|acquire a 0|enqueue a}; a leaves; poll leaves -> leave first@1
                    leave: LEFT; next: await x 0 -> next NOT_ENQUEUED
                who leaves before its turn has released and renewed all the same
                    longPoll first; a: release a#9; b: renew b#9 33; next: await x 0; a leaves; b leaves; release: RELEASED
                    poll leaves -> leave first@1; leave: LEFT -> release a#9, renew b#9 33; renew: RENEWED -> next NOT_ENQUEUED
                who leaves before its turn shortens no other wait
                    longPoll first; a: acquire a 10; a leaves
                who leaves a wait before its turn gives up the place
                    enqueueBehind k; longPoll first; a: await k 10; a leaves; 10s -> leave first@2
                    leave: LEFT -> poll TIMEOUT, leave k@1
                """);
    }

    static Stream<Play.Scenario> crossings() {
        return Play.scenarios("""
                a slot on its way to a client that has gone is given back
                    claim: free; ~far: acquire k 0; ~home -> claim k; ~far leaves; turn -> release k#1
                a place of a client that has gone is given up
                    claim: queue; leave: LEFT; ~far: enqueue k; ~home -> claim k; ~far leaves; turn -> leave k@1
                """);
    }

    static Stream<Play.Scenario> lostAnswers() {
        return Play.scenarios("""
                an answer that is lost gives the slot back
                    claim: free; a: acquire k 0 -> claim k, a GRANTED k#1; a loses -> release k#1
                an answer that is lost gives the place up before those that are waiting for their turn
                    claim: queue; a: enqueue k -> claim k, a QUEUED; longPoll other; next: await k 10; a loses
                    poll leaves -> leave other@2; leave: LEFT -> leave k@1; leave: LEFT -> next NOT_ENQUEUED
                an answer that is lost gives back what the place was granted meanwhile
                    claim: queue; a: enqueue k -> claim k, a QUEUED; grant k@1; a loses -> renew k#1 33
                    renew: RENEWED -> release k#1
                an answer that is lost after the end of the session changes nothing
                    claim: queue; a: enqueue k -> claim k, a QUEUED; close -> leave k@1; a loses; leave: LEFT -> CLOSED
                """);
    }

    @ParameterizedTest
    @MethodSource({"leaving", "leavingBeforeTheirTurn", "crossings", "lostAnswers"})
    void aSessionActsAsScripted(Play.Scenario scenario) {
        session.play(scenario.script());
    }

    @Test
    void theLineHasAnEndSoThatComingAndGoingFillsNoMemory() {
        session.play("longPoll first");
        for (int i = 0; i < HttpPlay.MAX_CALLS; i++) {
            session.play("a: release a#9; a leaves");
        }
        session.play("b: release b#9 -> b OVERLOADED; poll leaves -> leave first@1; leave: LEFT -> release a#9");
        for (int i = 1; i < HttpPlay.MAX_CALLS; i++) {
            session.play("release: RELEASED -> release a#9");
        }
        session.play("release: RELEASED; next: await c 0 -> next NOT_ENQUEUED");
    }

    @Test
    void whoLeavesTheLineLeavesNothingInItIfNothingWouldComeOfIt() {
        session.play("longPoll first");
        for (int i = 0; i <= HttpPlay.MAX_CALLS; i++) {
            session.play(i % 2 == 0 ? "a: acquire a 10; a leaves" : "a: enqueue a; a leaves");
        }
        session.play(
                "release: RELEASED; b: release b#9; poll leaves -> leave first@1; leave: LEFT -> release b#9, b RELEASED");
    }

    @Test
    void anAnswerThatLeftNothingBehindIsNoMatter() {
        assertThat(Plain.TIMEOUT.leavesSomething()).isFalse();
        assertThat(Plain.RELEASED.leavesSomething()).isFalse();
        assertThat(Plain.QUEUED.leavesSomething()).isTrue();
        Grant grant = ScriptedStorage.grant("k", 1, 0);
        assertThat(new Granted(grant, 1).leavesSomething()).isTrue();
        assertThat(new Acquired(grant, 1).leavesSomething()).isTrue();
    }
}
