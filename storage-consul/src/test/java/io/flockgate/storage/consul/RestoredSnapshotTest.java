package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.testsupport.Polling;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An operator restores a snapshot of Consul under running gateways. */
@Execution(ExecutionMode.CONCURRENT)
class RestoredSnapshotTest {
    private final StandIns site = new StandIns();
    private final Gateway gateway = site.gateway(600);
    private final Gateway other = site.gateway(600);

    @AfterEach
    void close() {
        site.close();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aTicketThatWasTakenBackAndComesAgainIsNotInTheWay(Kind kind) {
        Claim claim = new Claim(Key.of("job"), kind, 1, 30, true);
        Had holder = other.hold(claim);
        Queued gone = gateway.queue(claim);
        site.consul().save();
        assertThat(gone.leave()).isEqualTo(LeaveOutcome.LEFT);
        Queued waiter = gateway.queue(claim);
        // A watch that asks only after the restore does not notice it before its time is over.
        Polling.until("the gateway watches the key", () -> gateway.api().isAwaited(StandIns.BASE + "job/"));
        site.consul().restore();
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(gone.granted()).isFalse();
    }
}
