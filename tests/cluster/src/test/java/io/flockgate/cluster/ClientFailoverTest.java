package io.flockgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.BlockingLease;
import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A Java client with the addresses of three gateways, when one after the other fails. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class ClientFailoverTest {
    private static final Duration TTL = Duration.ofSeconds(6);

    @RegisterExtension
    final ClusterBed bed = new ClusterBed();

    /** A client that tries the gateways in turn. */
    private static LeaseProvider connect(GatewayProcess... gateways) {
        List<URI> addresses = Stream.of(gateways)
                .map(each -> URI.create("flockgate://127.0.0.1:" + each.port()))
                .toList();
        return Flockgate.connect(ConnectOptions.defaults(), addresses);
    }

    /**
     * A gateway that has loaded, as the client has, what a claim needs, because that takes longer
     * than the request timeout of the test on a busy machine.
     */
    private GatewayProcess warmGateway(URI consul) throws InterruptedException {
        GatewayProcess gateway = bed.gateway(consul);
        LeaseOptions patient = LeaseOptions.named("warm")
                .ttl(Duration.ofSeconds(90))
                .requestTimeout(Duration.ofSeconds(30))
                .build();
        try (LeaseProvider client = connect(gateway);
                BlockingLease lease = new BlockingLease(client.lease(patient))) {
            assertThat(lease.acquire(Duration.ZERO)).isPresent();
        }
        return gateway;
    }

    @Test
    @Timeout(180)
    void aHeldGrantOutlivesAGatewayThatIsKilledAndOneThatStandsStill() throws Exception {
        URI consul = bed.consul("{}").address();
        GatewayProcess killed = warmGateway(consul);
        GatewayProcess still = warmGateway(consul);
        GatewayProcess last = warmGateway(consul);
        LeaseOptions options = LeaseOptions.named("kept")
                .ttl(TTL)
                .requestTimeout(TTL.dividedBy(3))
                .renewInterval(TTL.dividedBy(4))
                .build();
        try (LeaseProvider client = connect(killed, still, last);
                Lease lease = client.lease(options)) {
            assertThat(lease.acquire().toCompletableFuture().get(30, TimeUnit.SECONDS))
                    .isTrue();
            LeaseGrant grant = lease.current().orElseThrow();
            killed.kill();
            isKept(grant, last);
            still.pause();
            isKept(grant, last);
        }
    }

    private void isKept(LeaseGrant grant, GatewayProcess other) throws IOException {
        long end = System.nanoTime() + TTL.toNanos() * 2;
        Polling.until("two times of the lease", () -> System.nanoTime() - end > 0);
        assertThat(grant.isAlive()).isTrue();
        LineClient client = bed.client(other);
        assertThat(client.ask("hello", "me", "incarnation")).isEqualTo("ok");
        assertThat(client.ask("l", "kept", "0")).isEqualTo("timeout");
    }
}
