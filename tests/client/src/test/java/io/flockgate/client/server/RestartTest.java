package io.flockgate.client.server;

import static io.flockgate.client.server.TestLeases.get;
import static io.flockgate.client.server.TestLeases.lease;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LostEvent;
import io.flockgate.client.LostReason;
import io.flockgate.testsupport.FaultyLink;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import io.flockgate.testsupport.Ports;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Leases when a gateway that keeps its grants in memory is killed and restarted, or only their
 * connection is lost. No renewal is due while a test runs.
 */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class RestartTest {
    @Test
    void everyGrantOfTheOldProcessIsLostWithoutARenewal() throws Exception {
        int port = Ports.adjacent(1, List.of("127.0.0.1"));
        GatewayLauncher launcher = GatewayLauncher.ofJar("--port=" + port);
        try (GatewayProcess old = launcher.start();
                LeaseProvider provider = Flockgate.connect(URI.create("flockgate://127.0.0.1:" + port))) {
            Lease lease = lease(provider, "one");
            LeaseGrant one = get(lease.acquireWithToken()).orElseThrow();
            LeaseGrant afterWait =
                    get(lease(provider, "two").acquire(Duration.ofMinutes(1))).orElseThrow();
            Lease released = lease(provider, "released");
            LeaseGrant over = get(released.acquireWithToken()).orElseThrow();
            get(released.release());

            old.kill();
            try (GatewayProcess restarted = launcher.start()) {
                for (LeaseGrant grant : List.of(one, afterWait)) {
                    LostEvent event = get(grant.lost());
                    assertThat(event.grant()).isEqualTo(grant);
                    assertThat(event.reason()).isEqualTo(LostReason.SERVER_RESTARTED);
                    assertThat(event.message()).contains("the server has restarted");
                }
                assertThat(over.lost().toCompletableFuture()).isNotDone();
                LeaseGrant next = get(lease.acquire(Duration.ofSeconds(10))).orElseThrow();
                assertThat(Long.compareUnsigned(
                                next.fence().orElseThrow(), one.fence().orElseThrow()))
                        .isPositive();
                assertThat(restarted.isAlive()).isTrue();
            }
        }
    }

    @Test
    void aLostConnectionIsOpenedAgainAndTheGrantOfTheSameProcessIsKept() throws Exception {
        GatewayProcess gateway = SharedGateway.get();
        try (FaultyLink link = FaultyLink.to(gateway.port());
                LeaseProvider provider = Flockgate.connect(link.uri("flockgate"));
                LineClient observer = gateway.client()) {
            Lease lease = lease(provider, "reconnected");
            LeaseGrant grant = get(lease.acquireWithToken()).orElseThrow();
            long start = System.nanoTime();

            for (int cuts = 1; cuts <= 5; cuts++) {
                Polling.until("an open connection", () -> link.open() == 1);
                int before = link.accepted();
                link.cut();
                Polling.until("another connection", () -> link.accepted() > before);
            }

            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .as("a quarter of a second at least between two openings")
                    .isGreaterThan(Duration.ofSeconds(1));
            assertThat(grant.isAlive()).isTrue();
            assertThat(grant.lost().toCompletableFuture()).isNotDone();
            assertThat(TestLeases.isHeld(observer, "reconnected")).isTrue();
            get(lease.release());
            assertThat(TestLeases.isHeld(observer, "reconnected")).isFalse();
        }
    }

    @Test
    void aReconnectionThatFailsIsTriedAgain() throws Exception {
        GatewayProcess gateway = SharedGateway.get();
        try (FaultyLink link = FaultyLink.to(gateway.port());
                LeaseProvider provider = Flockgate.connect(link.uri("flockgate"))) {
            LeaseGrant grant =
                    get(lease(provider, "severed").acquireWithToken()).orElseThrow();

            link.sever();
            Polling.until("three tries", () -> link.accepted() >= 4);
            link.mend();

            Polling.until("another connection", () -> link.open() == 1);
            assertThat(grant.isAlive()).isTrue();
        }
    }
}
