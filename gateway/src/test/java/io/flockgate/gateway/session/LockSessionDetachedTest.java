package io.flockgate.gateway.session;

import static io.flockgate.gateway.session.SessionPlay.DETACHED;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientDescription.Via;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The grants of a detached client. */
class LockSessionDetachedTest {
    private static final String ADDRESS = "192.0.2.1:4711";

    private static Client detached(ClientLimits limits, String address) {
        Client made = new Client(limits, new ClientDescription(Via.CONNECTION, null, address));
        assertThat(made.session.introduce(DETACHED)).isTrue();
        return made;
    }

    static Stream<Play.Scenario> introductions() {
        return Play.scenarios("""
            an introduction is taken once
                introduce detached -> INTRODUCED; introduce again -> TOO LATE; hold a; close -> CLOSED
            an introduction is too late after a claim
                hold a; introduce detached -> TOO LATE; close -> release a#1
            an introduction is too late after an enqueue
                enqueueBehind a; introduce detached -> TOO LATE
            """);
    }

    static Stream<Play.Scenario> closes() {
        return Play.scenarios("""
            what a detached client knows is kept
                hold a; enqueueFree b; close -> CLOSED
            queues are left
                enqueueBehind a; close -> leave a@1; leave: LEFT -> CLOSED
            an entry that was granted and not waited for is released
                enqueueBehind a; grant a@1; close -> release a#1
            an entry that a wait has told is kept
                enqueueBehind a; grant a@1; renew: RENEWED; await a 0 -> renew a#1 33, GRANTED a#1; close -> CLOSED
            an entry whose wait is not answered yet is released
                enqueueBehind a; grant a@1; await a 0 -> renew a#1 33; close -> release a#1; renew: RENEWED
            a grant that comes later is released
                waitFor a 30; close -> leave a@1, CLOSED; ~leave: GRANTED; grant a@1 -> release a#1
            a grant whose reply has not left is released
                hold a; hold b; closeWithout b#2 -> release b#2
            what has ended is not released
                enqueueBehind a; grant a@1; end a#1 EXPIRED; close -> CLOSED
            """);
    }

    @ParameterizedTest
    @MethodSource("introductions")
    void aSessionActsAsScripted(Play.Scenario scenario) {
        new SessionPlay(new Client()).play(scenario.script());
    }

    @ParameterizedTest
    @MethodSource("closes")
    void aDetachedSessionActsAsScripted(Play.Scenario scenario) {
        new SessionPlay(detached(Client.limits(), ADDRESS)).play(scenario.script());
    }

    @Test
    void aCloseAtItsRequestReleasesAllEvenWithoutAutoRelease() {
        new SessionPlay(new Client(false)).play("""
            introduce detached -> INTRODUCED; hold a; closeAtRequest -> release a#1
            """);
    }

    /** Transcripts show that the slots of gone clients count for their address. */
    @Test
    void slotsCountNoMoreOnceTheirClientHasAskedForTheEnd() {
        ClientLimits limits = Client.limits(new Gate(Map.of(Resource.SLOT, new Gate.Caps(0, 2))));
        Client first = detached(limits, ADDRESS);
        List<Grant> held = List.of(holdSlot(first), holdSlot(first));
        Future<Void> unused = first.session.closeAtRequest();
        first.loop.run();
        held.forEach(grant -> first.end(grant, Ending.RELEASED));
        first.loop.run();

        Client second = detached(limits, ADDRESS);
        holdSlot(second);
        holdSlot(second);
        acquireSlot(second);
        assertThat(second.answers).last().isEqualTo(Plain.MAX_HOLDERS_PER_CLIENT);
    }

    @CanIgnoreReturnValue
    private static Grant holdSlot(Client client) {
        Grant grant = client.storage.grant("pool", Kind.SEMAPHORE);
        client.storage.claims.ready(new Held(grant));
        acquireSlot(client);
        assertThat(client.answers).last().isEqualTo(new Outcome.Granted(grant, Client.LEASE));
        return grant;
    }

    private static void acquireSlot(Client client) {
        Claim claim = new Claim(Key.of("pool"), Kind.SEMAPHORE, 9, Client.LEASE, false);
        client.session.carryOut(new LockRequest.Acquire(claim, 0), client.answers::add);
    }
}
