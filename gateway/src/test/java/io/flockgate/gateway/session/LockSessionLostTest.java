package io.flockgate.gateway.session;

import static io.flockgate.gateway.session.Client.elsewhere;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claimant;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Grant;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.Ticket;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The storage gives up what a client holds. */
class LockSessionLostTest {
    private final Client client = new Client();
    private final AtomicInteger losses = new AtomicInteger();

    @BeforeEach
    void listen() {
        client.session.whenLost(losses::incrementAndGet);
    }

    @ParameterizedTest
    @EnumSource(Ending.class)
    void onlyALossIsReported(Ending ending) {
        Grant grant = client.hold("k");
        elsewhere(() -> client.end(grant, ending));
        client.loop.run();
        assertThat(losses).hasValue(ending == Ending.LOST || ending == Ending.EVICTED ? 1 : 0);
        assertThat(client.session.isIdle()).isTrue();
    }

    /** The connection is worth more than the notice, unless the storage itself is in doubt. */
    @Test
    void anEvictionIsReportedOnlyToAClientThatHoldsAndWaitsForNothingElse() {
        Grant first = client.hold("k");
        Grant second = client.hold("l");
        client.end(first, Ending.EVICTED);
        client.loop.run();
        assertThat(losses).hasValue(0);
        client.end(second, Ending.EVICTED);
        client.loop.run();
        assertThat(losses).hasValue(1);
    }

    @Test
    void anEvictionEndsNoEnqueuedClaimAndNoWait() {
        Grant first = client.hold("k");
        Claimant holder = client.claimant();
        Ticket unused = client.enqueueBehind("l");
        holder.ended(first, Ending.EVICTED);
        client.loop.run();
        assertThat(losses).hasValue(0);
    }

    @Test
    void anEvictionIsReportedToAClientWhoseOnlyEnqueuedClaimHasEnded() {
        Grant first = client.hold("k");
        Claimant holder = client.claimant();
        client.end(client.enqueueFree("l"), Ending.EXPIRED);
        holder.ended(first, Ending.EVICTED);
        client.loop.run();
        assertThat(losses).hasValue(1);
    }

    @Test
    void aLossIsReportedToAClientThatHoldsSomethingElse() {
        Grant first = client.hold("k");
        Grant unused = client.hold("l");
        client.end(first, Ending.LOST);
        client.loop.run();
        assertThat(losses).hasValue(1);
    }

    /** Clients of dflockd do not wait for a claim that was granted at once. */
    @Test
    void aLossOfAClaimThatWasGrantedAtItsEnqueueIsReported() {
        Grant grant = client.enqueueFree("k");
        elsewhere(() -> client.end(grant, Ending.LOST));
        client.loop.run();
        assertThat(losses).hasValue(1);
    }

    /** Its wait reports the eviction. */
    @Test
    void anEvictionBetweenEnqueueAndWaitIsNotReported() {
        client.end(client.enqueueFree("k"), Ending.EVICTED);
        client.loop.run();
        assertThat(losses).hasValue(0);
    }

    /** The wait, which is renewing the grant, reports the eviction. */
    @Test
    void anEvictionDuringTheWaitIsNotReported() {
        Grant grant = client.enqueueFree("k");
        client.await("k", 0);
        client.end(grant, Ending.EVICTED);
        client.loop.run();
        assertThat(losses).hasValue(0);
    }

    /** Its wait reports the loss. */
    @Test
    void aLossOfAGrantThatTheClientDoesNotKnowYetIsNotReported() {
        Grant grant = client.grantTo(client.enqueueBehind("k"));
        client.end(grant, Ending.LOST);
        client.loop.run();
        assertThat(losses).hasValue(0);
    }

    @ParameterizedTest
    @EnumSource(
            value = Ending.class,
            names = {"LOST", "EVICTED"})
    void aLossAfterTheWaitIsReported(Ending ending) {
        Grant grant = client.grantTo(client.enqueueBehind("k"));
        client.storage.renewals.ready(RenewOutcome.RENEWED);
        client.await("k", 0);
        client.loop.run();
        client.end(grant, ending);
        client.loop.run();
        assertThat(losses).hasValue(1);
    }

    @Test
    void aLossIsReportedOutsideTheCallOfTheStorage() {
        client.end(client.hold("k"), Ending.LOST);
        assertThat(losses).hasValue(0);
        client.loop.run();
        assertThat(losses).hasValue(1);
    }

    @Test
    void aClientThatHasIntroducedItselfIsNotConcerned() {
        assertThat(client.session.introduce(new ClientInfo(null, false, true, null), "here"))
                .isTrue();
        client.end(client.hold("k"), Ending.LOST);
        client.loop.run();
        assertThat(losses).hasValue(0);
    }

    @Test
    void aGrantThatWasGivenBackBeforeIsNotConcerned() {
        Grant grant = client.hold("k");
        client.end(grant, Ending.RELEASED);
        client.end(grant, Ending.LOST);
        client.loop.run();
        assertThat(losses).hasValue(0);
    }
}
