package io.flockgate.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.storage.ClaimOutcome.Queued;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.Ticket;
import io.vertx.core.Future;
import org.junit.jupiter.api.Test;

/** A session whose claim an operator removes from a queue. */
class LockSessionRemovedTest {
    private final Client client = new Client();
    private final ScriptedStorage storage = client.storage;

    private void remove(Ticket ticket) {
        client.claimant().removed(ticket);
        client.loop.run();
    }

    @Test
    void aWaitEndsAsAtItsTimeout() {
        remove(client.waitFor("k", 5));
        assertThat(client.answers).containsExactly(Plain.TIMEOUT);
        assertThat(storage.leaves.asked()).isEmpty();
    }

    @Test
    void aWaitThatBeganWithAnEnqueueEndsSoToo() {
        Ticket ticket = client.enqueueBehind("k");
        client.await("k", 5);
        remove(ticket);
        client.await("k", 5);
        assertThat(client.answers).containsExactly(Plain.TIMEOUT, Plain.NOT_ENQUEUED);
    }

    @Test
    void anEntryIsNotEnqueuedAnyMoreAndMayBeEnqueuedAnew() {
        remove(client.enqueueBehind("k"));
        client.await("k", 5);
        Ticket again = client.enqueueBehind("k");
        client.await("k", 5);
        client.grantTo(again);
        client.loop.run();
        assertThat(client.answers).hasSize(2).first().isEqualTo(Plain.NOT_ENQUEUED);
        assertThat(client.answers.getLast()).isInstanceOf(Outcome.Granted.class);
    }

    @Test
    void aWaitEndsOnceWhenItsTimeIsUpInTheSameMoment() {
        Ticket ticket = client.waitFor("k", 5);
        client.session.timeOutWait();
        remove(ticket);
        storage.leaves.answer(LeaveOutcome.GRANTED);
        client.loop.run();
        assertThat(client.answers).containsExactly(Plain.TIMEOUT);
    }

    @Test
    void aWaitThatIsBeingCancelledStaysSo() {
        Ticket ticket = client.waitFor("k", 5);
        client.session.cancelWait();
        storage.leaves.answer(LeaveOutcome.GRANTED);
        remove(ticket);
        assertThat(client.answers).containsExactly(Plain.CANCELLED);
    }

    @Test
    void theRemovalMayComeBeforeTheAnswerToTheClaim() {
        client.acquire("k", 5);
        Queued queued = ScriptedStorage.queued("k");
        storage.claims.answer(queued);
        remove(queued.ticket());
        assertThat(client.answers).containsExactly(Plain.TIMEOUT);
    }

    @Test
    void anOldTicketEndsNoLaterWait() {
        Ticket old = client.waitFor("k", 5);
        remove(old);
        client.waitFor("k", 5);
        remove(old);
        assertThat(client.answers).containsExactly(Plain.TIMEOUT);
    }

    @Test
    void theEntryOfAClientThatHasGoneIsNoMatter() {
        Ticket ticket = client.enqueueBehind("k");
        Future<Void> closed = client.close();
        remove(ticket);
        storage.leaves.answer(LeaveOutcome.GRANTED);
        client.loop.run();
        assertThat(closed.succeeded()).isTrue();
        assertThat(client.answers).isEmpty();
    }

    @Test
    void aDrainedGatewayRefusesClaimsAndNothingElse() {
        ClientLimits limits = Client.limits();
        Client drained = new Client(true, limits);
        Ticket ticket = drained.enqueueBehind("k");
        limits.admission().drain("new kernel");
        drained.acquire("other", 0);
        drained.enqueue("other");
        drained.await("k", 5);
        drained.grantTo(ticket);
        drained.loop.run();
        assertThat(drained.answers).hasSize(3).startsWith(Plain.DRAINING, Plain.DRAINING);
        assertThat(drained.answers.getLast()).isInstanceOf(Outcome.Granted.class);
        limits.admission().undrain();
        drained.hold("other");
    }
}
