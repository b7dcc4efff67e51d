package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.SessionRead;
import io.flockgate.storage.consul.api.ForwardingConsulApi;
import io.flockgate.storage.tck.Await;
import io.flockgate.storage.tck.RecordingClaimant;
import io.flockgate.testsupport.Polling;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Consul has ended the session that holds a gateway's tickets, and a claim is the first to
 * encounter that.
 */
@Execution(ExecutionMode.CONCURRENT)
class EndedTicketSessionTest {
    private final StandIns site = new StandIns();

    /** Whether the watch of the session conceals its end until a claim encounters it. */
    private final AtomicBoolean unaware = new AtomicBoolean(true);

    private final Gateway here = site.gateway(Map.of("consul-session-ttl", "600"), this::watchedLate);
    private final Gateway there = site.gateway(600);

    @AfterEach
    void close() {
        unaware.set(false);
        site.close();
    }

    private ConsulApi watchedLate(ConsulApi api) {
        return new ForwardingConsulApi(api) {
            @Override
            public SessionRead watchSession(String id, long index, Duration wait) {
                SessionRead read = super.watchSession(id, index, wait);
                holdWhile(() -> unaware.get() && !read.exists());
                return read;
            }
        };
    }

    static Stream<Claim> kinds() {
        return Stream.of(
                new Claim(Key.of("job"), Kind.LOCK, 1, 1300, true),
                new Claim(Key.of("job"), Kind.SEMAPHORE, 1, 1300, true));
    }

    /** Ends the session unnoticed, because its gateway renews its sessions only every 200 s. */
    private void endTheSessionOfTicketsHere() {
        Had holder = there.hold(new Claim(Key.of("other"), Kind.LOCK, 1, 1300, true));
        Queued waiter = here.queue(new Claim(Key.of("other"), Kind.LOCK, 1, 1300, true));
        String session = Objects.requireNonNull(site.tickets("other").getFirst().session());
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        here.awaitRest(0);
        site.consul().endSession(session);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void theClaimQueuesUnderANewSession(Claim claim) {
        endTheSessionOfTicketsHere();
        Had holder = there.hold(claim);
        Queued queued = here.queue(claim);
        there.awaitRead("job");
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(queued.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void claimsKeepTheirOrder(Claim claim) {
        endTheSessionOfTicketsHere();
        Had holder = there.hold(claim);
        RecordingClaimant one = new RecordingClaimant(1);
        RecordingClaimant two = new RecordingClaimant(2);
        Future<ClaimOutcome> first = here.ask(claim, one);
        Future<ClaimOutcome> second = here.ask(claim, two);
        Queued front = queued(one, first);
        Queued behind = queued(two, second);
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Had now = front.awaitGrant();
        assertThat(behind.granted()).isFalse();
        assertThat(now.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(behind.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until("no ticket is left", () -> site.tickets("job").isEmpty());
    }

    private Queued queued(RecordingClaimant claimant, Future<ClaimOutcome> answer) {
        ClaimOutcome outcome = Await.result(answer);
        assertThat(outcome).isInstanceOf(ClaimOutcome.Queued.class);
        return new Queued(claimant, ((ClaimOutcome.Queued) outcome).ticket(), here);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aFreeSlotIsTakenUnderANewSession(Claim claim) {
        endTheSessionOfTicketsHere();
        assertThat(here.acquire(claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void aDetachedGrantIsMadeUnderANewSession() {
        endTheSessionOfTicketsHere();
        Claim claim = new Claim(Key.of("job"), Kind.LOCK, 1, 1300, true);
        assertThat(here.holdDetached(claim).release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
