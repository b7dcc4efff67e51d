package io.flockgate.storage.consul;

import static io.flockgate.storage.consul.Site.lock;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Kind;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.FakeConsul.Call;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.tck.Await;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Unexpected errors, and a Consul that hangs. */
@Execution(ExecutionMode.CONCURRENT)
class FailingCallsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration REQUEST = Duration.ofSeconds(3);

    private final StandIns site = new StandIns();
    private final AtomicInteger thrown = new AtomicInteger();

    @AfterEach
    void close() {
        site.close();
    }

    @ParameterizedTest
    @CsvSource({"LOCK, 0, 1", "LOCK, 140, 3", "SEMAPHORE, 0, 1", "SEMAPHORE, 140, 3"})
    void aWaiterHasItsSlotAfterErrors(Kind kind, int watches, int count) {
        Claim claim = StandIns.claim(kind, 30);
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

    private static Fault hang(Gateway gateway, CountDownLatch allHaveAsked) {
        return new Fault.Before(() -> {
            // No time passes before all claims are made, so that each deadline counts from the same
            // moment.
            Await.await(allHaveAsked, "all claims are made");
            gateway.jump(REQUEST);
            throw new ConsulException(FailureKind.UNAVAILABLE, Effect.NOT_DONE, "no answer");
        });
    }

    /** Consul accepts requests but does not answer them, and the calls wait for their turn. */
    @Test
    void everyCallIsAnsweredWithinItsPatienceAndOneRequest() {
        Gateway gateway = site.gateway(600);
        CountDownLatch allHaveAsked = new CountDownLatch(1);
        // The key is known here, so that a claim is only a write.
        assertThat(gateway.hold(lock("job")).release()).isEqualTo(ReleaseOutcome.RELEASED);
        gateway.api()
                .setFaults((call, operations) -> call == Call.TXN ? hang(gateway, allHaveAsked) : new Fault.None());
        List<Future<Long>> answers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            answers.add(gateway.ask(lock("job"))
                    .transform(done -> Future.succeededFuture(gateway.ahead().get())));
        }
        allHaveAsked.countDown();
        Duration most = PATIENCE.plus(REQUEST);
        for (Future<Long> each : answers) {
            assertThat(Duration.ofNanos(Await.result(each))).isLessThanOrEqualTo(most);
        }
        gateway.api().setFaults((call, operations) -> new Fault.None());
    }
}
