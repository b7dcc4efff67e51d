package io.flockgate.gateway.session;

import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Resource;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Claims that take two requests, an enqueue and a wait. */
class LockSessionTwoPhaseTest {
    static Stream<Play.Scenario> enqueues() {
        return Play.scenarios("""
                an enqueue acquires a free key, and is queued for a held one
                    claim: free; enqueue free -> claim free, ACQUIRED free#1
                    claim: queue; enqueue held -> claim held, QUEUED
                an enqueue may be answered on another thread
                    enqueue k -> claim k; ~elsewhere claim: free; turn -> ACQUIRED k#1
                a second enqueue is refused before the storage is asked
                    enqueueFree held; enqueueBehind queued; enqueue held -> ALREADY_ENQUEUED
                    enqueue queued -> ALREADY_ENQUEUED
                an enqueue that is refused leaves nothing behind
                    claim: KIND_MISMATCH; enqueue k -> claim k, LIMIT_MISMATCH; await k 5 -> NOT_ENQUEUED
                an enqueue that fails leaves nothing behind
                    claim: fails {NOT_DONE|UNKNOWN}; enqueue k -> claim k, FAILED {NOT_DONE|UNKNOWN}
                    await k 5 -> NOT_ENQUEUED
                a wait without an enqueue is refused
                    await k 5 -> NOT_ENQUEUED
                """);
    }

    static Stream<Play.Scenario> waitsForGrants() {
        return Play.scenarios("""
                a wait for what was acquired gives the same token with a whole lease, and uses the entry up
                    enqueueFree k; renew: RENEWED; await k 0 -> renew k#1 33, GRANTED k#1; await k 0 -> NOT_ENQUEUED
                what was acquired is kept if it cannot be renewed, because the client knows its token
                    enqueueFree k; renew: fails UNKNOWN; await k 0 -> renew k#1 33, FAILED UNKNOWN; close -> release k#1
                an entry that was granted gives its token to a wait of no time
                    enqueueBehind k; grant k@1; renew: RENEWED; await k 0 -> renew k#1 33, GRANTED k#1
                a grant is seen by a wait that comes before the loop has heard of it
                    enqueueBehind k; ~elsewhere grant k@1; await k 0 -> renew k#1 33; renew: RENEWED -> GRANTED k#1
                a grant is known though its place is reported later
                    enqueue k -> claim k; place k; ~grant k@1; claim: k@1 -> QUEUED
                    renew: RENEWED; await k 0 -> renew k#1 33, GRANTED k#1
                a grant of an entry does not end the acquire of another key whose place is reported later
                    enqueueBehind k; acquire other 10 -> claim other; ~grant k@1; claim: queue
                    grant other@2 -> GRANTED other#2
                what was granted and cannot be renewed is given back, because the client does not know its token
                    enqueueBehind k; grant k@1; renew: fails {NOT_DONE|UNKNOWN}
                    await k 0 -> renew k#1 33, release k#1, FAILED {NOT_DONE|UNKNOWN}
                a session that releases a key keeps its place in the queue for it
                    hold k; enqueueBehind k; ~end k#1 RELEASED; ~grant k@1; ~release: RELEASED
                    ~release k#1 -> release k#1, RELEASED; ~renew: RENEWED; await k 0 -> renew k#2 33, GRANTED k#2
                a session gives back what it holds and what its entry was granted
                    hold k; enqueueBehind k; grant k@1; close -> release k#1, release k#2
                """);
    }

    static Stream<Play.Scenario> waitsInTheQueue() {
        return Play.scenarios("""
                a wait ends with its grant, in a turn of its own, because one loop serves many clients
                    enqueueBehind k; await k 10; ~grant k@1; turn -> GRANTED k#1; await k 10 -> NOT_ENQUEUED
                a grant that was begun before its wait gets a whole lease
                    enqueueBehind k; make k@1; stall 1ms; await k 5; tell k@1 k#1 -> renew k#1 33
                    renew: RENEWED -> GRANTED k#1
                a wait whose time is over loses its place
                    enqueueBehind k; await k 1; leave: LEFT; 1s -> leave k@1, TIMEOUT; await k 1 -> NOT_ENQUEUED
                a wait of no time loses its place at once
                    enqueueBehind k; leave: LEFT; await k 0 -> leave k@1, TIMEOUT; claim: queue; enqueue k -> claim k, QUEUED
                a wait whose claim an operator removes ends as at its timeout
                    enqueueBehind k; await k 5; remove k@1 -> TIMEOUT; await k 5 -> NOT_ENQUEUED
                an entry that is removed may be enqueued anew
                    enqueueBehind k; remove k@1; await k 5 -> NOT_ENQUEUED
                    enqueueBehind k; await k 5; grant k@2 -> GRANTED k#1
                a grant that comes for a removed entry is given back
                    enqueueBehind k; remove k@1; grant k@1 -> release k#1
                a grant that cannot be made durable fails the wait, or ends the entry
                    enqueueBehind k; await k 5; fail k@1 UNKNOWN -> FAILED UNKNOWN
                    enqueueBehind k; fail k@2 UNKNOWN; await k 5 -> NOT_ENQUEUED
                """);
    }

    /** The grant ends before the client receives it. */
    static Stream<Play.Scenario> endings() {
        return Play.scenarios("""
                an entry that was released is not enqueued any more
                    enqueueFree k; ~end k#1 RELEASED; await k 5 -> NOT_ENQUEUED
                an entry that ended in another way has expired, once
                    enqueueFree k; ~end k#1 {EXPIRED|EVICTED|LOST}; await k 5 -> LEASE_EXPIRED; await k 5 -> NOT_ENQUEUED
                an ending is seen by a wait that comes before the loop has heard of it
                    enqueueFree k; ~elsewhere end k#1 {RELEASED|EXPIRED|EVICTED|LOST}
                    await k 5 -> {NOT_ENQUEUED|LEASE_EXPIRED|LEASE_EXPIRED|LEASE_EXPIRED}
                an entry that ended may be enqueued anew
                    enqueueFree k; ~elsewhere end k#1 {RELEASED|EXPIRED|EVICTED|LOST}
                    claim: free; enqueue k -> claim k, ACQUIRED k#2
                    renew: RENEWED; await k 5 -> renew k#2 33, GRANTED k#2
                an entry that ended is not given back at the end
                    enqueueFree k; ~end k#1 EXPIRED; close -> CLOSED
                an ending may arrive before its grant
                    enqueueBehind k; make k@1; ~end k#1 LOST; tell k@1 k#1; await k 5 -> LEASE_EXPIRED; close -> CLOSED
                an ending may arrive before its grant, which a wait awaits
                    enqueueBehind k; await k 5; make k@1; renew: NOT_HELD; ~elsewhere end k#1 LOST
                    elsewhere tell k@1 k#1 -> renew k#1 33, LEASE_EXPIRED
                an entry that ends while its wait renews is answered by its ending
                    enqueueFree k; await k 5 -> renew k#1 33; ~end k#1 {RELEASED|EXPIRED|LOST}
                    renew: NOT_HELD -> {NOT_ENQUEUED|LEASE_EXPIRED|LEASE_EXPIRED}
                an entry that is lost before the answer to its renewal is not granted
                    enqueueBehind k; grant k@1; await k 5 -> renew k#1 33; ~end k#1 LOST; renew: RENEWED -> LEASE_EXPIRED
                an entry has expired if the storage says so before it notifies
                    enqueueFree k; renew: {LEASE_EXPIRED|NOT_HELD}; await k 5 -> renew k#1 33, LEASE_EXPIRED
                """);
    }

    @ParameterizedTest
    @MethodSource({"enqueues", "waitsForGrants", "waitsInTheQueue", "endings"})
    void aSessionActsAsScripted(Play.Scenario scenario) {
        new SessionPlay(new Client()).play(scenario.script());
    }

    @Nested
    class Caps {
        private static Gate gate(long total, long perPeer) {
            return new Gate(Map.of(Resource.ENQUEUED, new Gate.Caps(total, perPeer)));
        }

        @Test
        void countNoClaimThatThrowsOrFailsOrIsRefused() {
            Client limited = new Client(true, Client.limits(gate(1, 1)));
            new SessionPlay(limited).play("""
                    claim: throws; enqueue k -> claim k, FAILED UNKNOWN unexpectedly
                    claim: fails UNKNOWN; enqueue k -> claim k, FAILED UNKNOWN
                    claim: KIND_MISMATCH; enqueue k -> claim k, LIMIT_MISMATCH
                    claim: queue; enqueue k -> claim k, QUEUED
                    """);
        }

        @Test
        void countAnEntryUntilItsWaitEvenIfItHasBeenGrantedOrHasEnded() {
            new SessionPlay(new Client(true, Client.limits(gate(0, 2)))).play("""
                    enqueueFree granted; end granted#1 EXPIRED; enqueueBehind queued
                    enqueue third -> MAX_ENQUEUED_PER_CLIENT
                    await granted 0 -> LEASE_EXPIRED; enqueueBehind third
                    enqueue fourth -> MAX_ENQUEUED_PER_CLIENT
                    await third 10; grant third@2 -> GRANTED third#2; enqueueBehind fourth
                    enqueue fifth -> MAX_ENQUEUED_PER_CLIENT
                    """);
        }

        @Test
        void countAKeyOnceThatIsEnqueuedAgainAfterItsGrantHasEnded() {
            new SessionPlay(new Client(true, Client.limits(gate(0, 2)))).play("""
                    enqueueFree k; end k#1 EXPIRED; enqueueBehind k
                    claim: queue; enqueue other -> claim other, QUEUED
                    enqueue third -> MAX_ENQUEUED_PER_CLIENT
                    """);
        }

        @Test
        void refuseAnEnqueueWhenAllClientsHaveEnqueuedTooManyUntilOneLeaves() {
            ClientLimits limits = Client.limits(gate(1, 0));
            SessionPlay first = new SessionPlay(new Client(true, limits));
            SessionPlay second = new SessionPlay(new Client(true, limits));
            first.play("enqueueBehind k");
            second.play("enqueue other -> MAX_ENQUEUED; await other 0 -> NOT_ENQUEUED");
            first.play("close -> leave k@1");
            second.play("claim: queue; enqueue other -> claim other, QUEUED");
        }

        @Test
        void countForTheTokenOfAClient() {
            ClientLimits limits = Client.limits(gate(0, 1));
            client(limits, "ci").play("claim: queue; enqueue k -> claim k, QUEUED");
            client(limits, "ops").play("claim: queue; enqueue k -> claim k, QUEUED");
            client(limits, "ci").play("enqueue k -> MAX_ENQUEUED_PER_CLIENT");
        }

        private static SessionPlay client(ClientLimits limits, String token) {
            Client client = new Client(true, limits);
            client.session.client().setPrincipal(token);
            return new SessionPlay(client);
        }
    }
}
