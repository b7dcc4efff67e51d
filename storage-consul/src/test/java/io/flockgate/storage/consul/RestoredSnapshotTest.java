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
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
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
        // A watch that asks only after the restore does not notice it until its wait ends.
        Polling.until("the gateway watches the key", () -> gateway.api().isAwaited(StandIns.BASE + "job/"));
        site.consul().restore();
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(gone.granted()).isFalse();
    }

    /** Its entry came with the snapshot or an import. No gateway creates a new session for it. */
    @Test
    void theEntryOfAGatewayThatHasGoneIsDeletedAndThatOfALivingOneIsThere() {
        String gateways = StandIns.BASE + ".gateways/";
        Polling.until("both have entries", () -> site.consul().tree(gateways).size() == 2);
        List<KvEntry> living = site.consul().tree(gateways);
        site.consul().put(gateways + "gw-gone-00000001", 0, living.getFirst().value());
        site.consul().delete(living.getFirst().key());

        gateway.jump(Duration.ofSeconds(61));
        other.jump(Duration.ofSeconds(61));

        Polling.until(
                "the entries are those of the living",
                () -> site.consul().tree(gateways).stream()
                        .map(KvEntry::key)
                        .toList()
                        .equals(living.stream().map(KvEntry::key).toList()));
        assertThat(site.consul().tree(gateways)).extracting(KvEntry::session).doesNotContainNull();
    }
}
