package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * An unforeseen failure occurs while a slot is to be granted, and the slot is soon granted
 * nevertheless.
 */
@Execution(ExecutionMode.CONCURRENT)
class UnexpectedErrorTest {
    private final StandIns site = new StandIns();
    private final AtomicInteger thrown = new AtomicInteger();

    @AfterEach
    void close() {
        site.close();
    }

    @ParameterizedTest
    @CsvSource({"LOCK, 0, 1", "LOCK, 140, 3", "SEMAPHORE, 0, 1", "SEMAPHORE, 140, 3"})
    void aWaiterHasItsSlotAfterErrors(Kind kind, int watches, int count) {
        Claim claim = new Claim(Key.of("job"), kind, 1, 30, true);
        Gateway gateway = site.gateway(
                Map.of("consul-session-ttl", "600", "consul-watches", String.valueOf(watches)), api -> api);
        Had holder = site.gateway(600).hold(claim);
        Queued waiter = gateway.queue(claim);
        gateway.api().setFaults((call, operations) -> {
            if (call == Call.TXN && thrown.get() < count) {
                thrown.incrementAndGet();
                throw new StackOverflowError("on purpose");
            }
            return new Fault.None();
        });
        assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(thrown).hasValue(count);
    }
}
