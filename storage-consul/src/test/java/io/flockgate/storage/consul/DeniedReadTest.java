package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A token that has lost the right to read, for a while. */
@Execution(ExecutionMode.CONCURRENT)
class DeniedReadTest {
    private final StandIns site = new StandIns();
    private final Gateway gateway = site.gateway();
    private final Gateway other = site.gateway();
    private final AtomicInteger denials = new AtomicInteger();

    @AfterEach
    void close() {
        site.close();
    }

    private Fault denied() {
        denials.incrementAndGet();
        return new Fault.Rejected(FailureKind.DENIED);
    }

    static Stream<Claim> kinds() {
        return Stream.of(Site.lock("job"), Site.semaphore("job", 1));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void nobodyLosesAnything(Claim claim) {
        Had had = gateway.hold(claim);
        Queued waiter = gateway.queue(claim);
        Queued last = other.queue(claim);
        List<String> shown = site.shown("job");
        gateway.api()
                .setFaults((call, operations) ->
                        call == Call.LIST || call == Call.WATCH || call == Call.NAMES ? denied() : new Fault.None());
        site.consul().put(StandIns.BASE + "job/stir", 0, new byte[] {1});
        assertThat(Await.failure(
                                gateway.storage().renew(claim.key(), had.grant().token(), 1000))
                        .effect())
                .isEqualTo(Effect.NOT_DONE);
        int before = denials.get();
        Polling.until("the watches have failed again and again", () -> denials.get() >= before + 8);
        gateway.awaitRest(0);
        assertThat(had.ending()).isNull();
        site.consul().delete(StandIns.BASE + "job/stir");
        assertThat(site.shown("job")).isEqualTo(shown);
        gateway.api().setFaults((call, operations) -> new Fault.None());
        assertThat(had.renew(1000)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(last.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
