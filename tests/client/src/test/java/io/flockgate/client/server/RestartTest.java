package io.flockgate.client.server;

import static io.flockgate.client.server.TestLeases.PATIENCE;
import static io.flockgate.client.server.TestLeases.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Grant;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LostEvent;
import io.flockgate.client.LostReason;
import io.flockgate.testsupport.FaultyLink;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.Polling;
import io.flockgate.testsupport.Ports;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Leases when a gateway that keeps its grants in memory is killed and restarted. No renewal is due
 * while a test runs.
 */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class RestartTest {
    private final int port = Ports.adjacent(1, List.of("127.0.0.1"));

    private GatewayProcess gateway() throws InterruptedException {
        return GatewayLauncher.ofJar("--port=" + port).start();
    }

    private LeaseProvider provider() {
        return Flockgate.connect(URI.create("flockgate://127.0.0.1:" + port));
    }

    private static Lease lease(LeaseProvider provider, String name) {
        return provider.lease(LeaseOptions.named(name)
                .ttl(Duration.ofMinutes(10))
                .requestTimeout(PATIENCE)
                .build());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 60})
    void aGrantOfTheOldProcessIsLostWithoutARenewal(int wait) throws Exception {
        try (GatewayProcess old = gateway();
                LeaseProvider provider = provider()) {
            Lease lease = lease(provider, "job");
            Grant grant = get(lease.acquire(Duration.ofSeconds(wait))).orElseThrow();

            old.kill();
            try (GatewayProcess restarted = gateway()) {
                LostEvent event = get(grant.lost());

                assertThat(event.reason()).isEqualTo(LostReason.SERVER_RESTARTED);
                assertThat(event.message()).contains("the server has restarted");
                Grant next = get(lease.acquire(Duration.ofSeconds(10))).orElseThrow();
                assertThat(Long.compareUnsigned(
                                next.fence().orElseThrow(), grant.fence().orElseThrow()))
                        .isPositive();
                assertThat(restarted.isAlive()).isTrue();
            }
        }
    }

    @Test
    void everyGrantOfTheOldProcessIsLost() throws Exception {
        try (GatewayProcess old = gateway();
                LeaseProvider provider = provider()) {
            Grant one = get(lease(provider, "one").acquireWithToken()).orElseThrow();
            Grant two = get(lease(provider, "two").acquireWithToken()).orElseThrow();
            Lease released = lease(provider, "released");
            Grant over = get(released.acquireWithToken()).orElseThrow();
            get(released.release());

            old.kill();
            try (GatewayProcess restarted = gateway()) {
                assertThat(get(one.lost()).grant()).isEqualTo(one);
                assertThat(get(two.lost()).grant()).isEqualTo(two);

                assertThat(over.lost().toCompletableFuture()).isNotDone();
                assertThat(restarted.isAlive()).isTrue();
            }
        }
    }

    @Test
    void aLostConnectionIsOpenedAgainAtOnceAndTheGrantOfTheSameProcessIsKept() throws Exception {
        GatewayProcess gateway = SharedGateway.get();
        try (FaultyLink link = FaultyLink.to(gateway.port());
                LeaseProvider provider = Flockgate.connect(link.uri("flockgate"))) {
            Lease lease = lease(provider, "reconnected");
            Grant grant = get(lease.acquireWithToken()).orElseThrow();
            long start = System.nanoTime();

            for (int cuts = 1; cuts <= 5; cuts++) {
                Polling.until("an open connection", () -> link.open() == 1);
                int before = link.accepted();
                link.cut();
                Polling.until("another connection", () -> link.accepted() > before);
            }

            // The first attempt is immediate. The pauses before the others are at least 25, 50, 100
            // and 200 ms.
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(375));
            assertThat(get(lease(provider, "after").acquire())).isTrue();
            assertThat(grant.isAlive()).isTrue();
            assertThat(grant.lost().toCompletableFuture()).isNotDone();
        }
    }

    @Test
    void aReconnectionThatFailsIsTriedAgain() throws Exception {
        GatewayProcess gateway = SharedGateway.get();
        try (FaultyLink link = FaultyLink.to(gateway.port());
                LeaseProvider provider = Flockgate.connect(link.uri("flockgate"))) {
            Grant grant = get(lease(provider, "severed").acquireWithToken()).orElseThrow();

            link.sever();
            Polling.until("three tries", () -> link.accepted() >= 4);
            link.mend();

            Polling.until("another connection", () -> link.open() == 1);
            assertThat(grant.isAlive()).isTrue();
        }
    }
}
