package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.Site.Gateway;
import io.flockgate.storage.consul.Site.Had;
import io.flockgate.storage.tck.Await;
import io.flockgate.storage.tck.RecordingClaimant;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A real Consul that comes back without its data at the same address. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class RestartedConsulTest {
    private static final int ROUNDS = 200;
    private static final long ENOUGH = 100;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ConsulAgent agent = ConsulAgent.start();
    private final RealSite site = new RealSite("flockgate/", agent);
    private final List<Thread> askers = new ArrayList<>();
    private final AtomicLong highest = new AtomicLong();
    private final AtomicLong claimants = new AtomicLong();
    private final Queue<String> fallen = new ConcurrentLinkedQueue<>();
    private volatile boolean over;

    @AfterEach
    void close() throws InterruptedException {
        over = true;
        for (Thread each : askers) {
            each.join();
        }
        site.close();
        agent.close();
    }

    /** Returns the fence of the last grant. */
    private long fenceAfter(Gateway gateway, int grants) {
        long fence = 0;
        for (int i = 0; i < grants; i++) {
            Had held = gateway.hold(Site.lock("job"));
            fence = held.grant().fence();
            assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
        }
        return fence;
    }

    @Test
    void everyGatewayStopsUntilTheRecordIsDeletedAndFencesBeginHigher() {
        Gateway busy = site.gateway();
        Gateway idle = site.gateway();
        long fence = fenceAfter(busy, 200);

        agent.restart();

        for (Gateway each : List.of(busy, idle)) {
            awaitStopped(each);
            assertThat(each.storage().failureReason().orElse("")).contains("delete the record");
            assertThat(Await.failure(each.ask(Site.lock("job")))).isNotNull();
        }
        assertThatThrownBy(site::gateway).hasMessageContaining("--consul-fence-base");
        List.of(busy, idle).forEach(Gateway::close);
        site.operator().delete("flockgate/.flockgate");
        Map<String, String> above = Map.of("consul-fence-base", String.valueOf(fence));
        assertThat(fenceAfter(site.gateway(above), 1)).isGreaterThan(fence);
    }

    /** Clients request every kind of grant meanwhile. */
    @Tag("slow")
    @RepeatedTest(ROUNDS)
    void noFenceFalls() {
        Gateway busy = site.gateway();
        Gateway idle = site.gateway();
        ask(busy);
        Polling.until("fences have risen", () -> highest.get() > ENOUGH);
        agent.kill();
        ask(idle);
        agent.restart();

        awaitStopped(busy);
        awaitStopped(idle);

        assertThat(fallen).isEmpty();
    }

    private static void awaitStopped(Gateway gateway) {
        String unused = Polling.until(
                PATIENCE,
                () -> gateway.storage().failureReason().orElse("ready"),
                reason -> reason.contains("Consul has lost") || reason.contains("has gone back"));
    }

    private void ask(Gateway gateway) {
        ask(gateway, Kind.LOCK, false);
        ask(gateway, Kind.SEMAPHORE, false);
        ask(gateway, Kind.LOCK, true);
    }

    private void ask(Gateway gateway, Kind kind, boolean detached) {
        Claim claim = new Claim(Key.of(kind + "-" + detached), kind, kind == Kind.LOCK ? 1 : 2, 1000, false);
        askers.add(Thread.ofPlatform().start(() -> {
            try {
                while (!over) {
                    askOnce(gateway, claim, detached);
                }
            } catch (AssertionError e) {
                fallen.add("no answer: " + e);
            }
        }));
    }

    /** Fails while Consul is down, and after the gateway has stopped. */
    private void askOnce(Gateway gateway, Claim claim, boolean detached) {
        // The highest fence of all grants that were answered before this one was requested.
        long before = highest.get();
        var answer = gateway.storage().claim(claim, new RecordingClaimant(claimants.incrementAndGet(), detached));
        Await.completed(answer);
        if (answer.succeeded() && answer.result() instanceof ClaimOutcome.Held(Grant grant)) {
            if (grant.fence() <= before) {
                fallen.add(gateway + " granted " + grant.key() + " with " + grant.fence() + " after " + before);
            }
            highest.accumulateAndGet(grant.fence(), Math::max);
            Await.completed(gateway.storage().release(grant.key(), grant.token()));
        }
    }
}
