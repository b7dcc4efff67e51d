package io.flockgate.storage.consul;

import static io.flockgate.storage.consul.Site.semaphore;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.testsupport.Polling;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The head of the queue could have a slot, but its gateway gets no session for it, as while Consul
 * elects a leader.
 */
class HeadWithoutASessionTest {
    private static final int FAILURES = 4;

    private final StandIns site = new StandIns();
    private final Gateway gateway = site.gateway();
    private final Gateway other = site.gateway();

    @AfterEach
    void close() {
        site.close();
    }

    @Test
    void itIsTriedAgainAndNobodyPassesIt() {
        Had first = other.hold(semaphore("job", 1));
        Queued second = gateway.queue(semaphore("job", 1));
        Queued third = other.queue(semaphore("job", 1));
        AtomicInteger tries = new AtomicInteger();
        gateway.api().setFaults((call, operations) -> {
            boolean fails = call == Call.CREATE_SESSION && tries.incrementAndGet() <= FAILURES;
            return fails ? new Fault.Rejected(FailureKind.UNAVAILABLE) : new Fault.None();
        });
        assertThat(first.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Had now = second.awaitGrant();
        assertThat(tries.get()).isGreaterThan(FAILURES);
        assertThat(third.granted()).isFalse();
        assertThat(now.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(third.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** For instance because Consul no longer accepts a session with this TTL. */
    @Test
    void aHeadThatGetsNoneDoesNotBlockTheOthersForEver() {
        Gateway lasting = site.gateway(600);
        Had first = other.hold(semaphore("job", 1));
        Queued second = lasting.queue(semaphore("job", 1));
        Queued third = other.queue(semaphore("job", 1));
        lasting.api()
                .setFaults((call, operations) ->
                        call == Call.CREATE_SESSION ? new Fault.Rejected(FailureKind.INVALID) : new Fault.None());
        assertThat(first.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until(
                "the head shows that it is alive",
                () -> site.tickets("job").stream()
                        .anyMatch(each -> new String(each.value(), StandardCharsets.UTF_8).contains("\"touches\":1")));

        lasting.jump(Duration.ofSeconds(11));

        Had now = third.awaitGrant();
        assertThat(second.granted()).isFalse();
        lasting.api().setFaults((call, operations) -> new Fault.None());
        assertThat(now.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(second.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** The head's grant is detached and needs its own session. The one behind it needs none. */
    @Test
    void aHeadThatGetsNoneDoesNotBlockThoseAtTheSameGateway() {
        Claim claim = Site.lock("lock");
        Gateway lasting = site.gateway(600);
        Had first = other.hold(claim);
        Queued second = lasting.queueDetached(claim);
        Queued third = lasting.queue(claim);
        lasting.api()
                .setFaults((call, operations) ->
                        call == Call.CREATE_SESSION ? new Fault.Rejected(FailureKind.INVALID) : new Fault.None());
        assertThat(first.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Polling.until(
                "the head shows that it is alive",
                () -> site.tickets("lock").stream()
                        .anyMatch(each -> new String(each.value(), StandardCharsets.UTF_8).contains("\"touches\":1")));

        lasting.jump(Duration.ofSeconds(11));

        assertThat(third.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(second.leave()).isEqualTo(LeaveOutcome.LEFT);
    }
}
