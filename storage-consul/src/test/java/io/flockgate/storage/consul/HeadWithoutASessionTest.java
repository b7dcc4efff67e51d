package io.flockgate.storage.consul;

import static io.flockgate.storage.consul.Site.semaphore;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The first in the queue could have a slot, but its gateway gets no session for it: as while Consul elects a leader. */
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
}
