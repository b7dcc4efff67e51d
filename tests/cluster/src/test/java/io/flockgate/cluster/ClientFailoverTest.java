package io.flockgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.BlockingLease;
import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.Grant;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseReleaseException;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Java clients with the addresses of three gateways, when one gateway is killed under load. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class ClientFailoverTest {
    private static final int CLIENTS = 6;
    private static final int GRANTS = 30;
    private static final Duration TTL = Duration.ofSeconds(6);

    @RegisterExtension
    final ClusterBed bed = new ClusterBed();

    private final AtomicInteger holders = new AtomicInteger();
    private final AtomicInteger overlaps = new AtomicInteger();
    private final AtomicInteger grants = new AtomicInteger();
    private final AtomicInteger losses = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicLong newestFence = new AtomicLong();
    private final AtomicInteger olderFences = new AtomicInteger();
    private final AtomicBoolean enough = new AtomicBoolean();

    private static LeaseOptions options(String name) {
        return LeaseOptions.named(name)
                .ttl(TTL)
                .requestTimeout(TTL.dividedBy(3))
                .renewInterval(TTL.dividedBy(4))
                .build();
    }

    /** A client that tries the gateways in turn, starting with this one. */
    private static LeaseProvider connect(List<GatewayProcess> gateways, int first) {
        List<URI> addresses = new ArrayList<>();
        for (int i = 0; i < gateways.size(); i++) {
            GatewayProcess gateway = gateways.get((first + i) % gateways.size());
            addresses.add(URI.create("flockgate://127.0.0.1:" + gateway.port()));
        }
        return Flockgate.connect(ConnectOptions.defaults(), addresses);
    }

    private List<GatewayProcess> threeGateways() throws InterruptedException {
        URI consul = bed.consul("{}").address();
        List<GatewayProcess> gateways = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            gateways.add(bed.gateway(consul));
        }
        for (GatewayProcess gateway : gateways) {
            warm(gateway);
        }
        return gateways;
    }

    /**
     * Makes the gateway and the client load what a claim needs, which takes longer than the request
     * timeout of the tests on a busy machine.
     */
    private static void warm(GatewayProcess gateway) throws InterruptedException {
        LeaseOptions patient = LeaseOptions.named("warm")
                .ttl(Duration.ofSeconds(90))
                .requestTimeout(Duration.ofSeconds(30))
                .build();
        try (LeaseProvider client = connect(List.of(gateway), 0);
                BlockingLease lease = new BlockingLease(client.lease(patient))) {
            assertThat(lease.acquire(Duration.ZERO)).isPresent();
        }
    }

    @Test
    @Timeout(180)
    void oneHolderAtATimeWhileAGatewayIsKilled() throws InterruptedException {
        List<GatewayProcess> gateways = threeGateways();
        List<LeaseProvider> clients = new ArrayList<>();
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            LeaseProvider client = connect(gateways, i % 3);
            clients.add(client);
            workers.add(Thread.ofVirtual().start(() -> work(client)));
        }
        awaitGrants(GRANTS);
        int before = grants.get();
        long killed = System.nanoTime();
        gateways.get(0).kill();
        awaitGrants(before + 2);
        double next = Seconds.since(killed);
        awaitGrants(before + GRANTS);
        enough.set(true);
        for (Thread worker : workers) {
            worker.join();
        }
        clients.forEach(LeaseProvider::close);
        System.out.printf(
                "one of three gateways killed: next grant after %.2f s, %d losses, %d unknown results, %d grants%n",
                next, losses.get(), failures.get(), grants.get());
        assertThat(overlaps).hasValue(0);
        assertThat(olderFences).hasValue(0);
    }

    /**
     * Waits without a time limit, because Consul takes up to twice 10 seconds to end the session of
     * a dead gateway.
     */
    private void awaitGrants(int number) throws InterruptedException {
        while (grants.get() < number) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private void work(LeaseProvider client) {
        try (BlockingLease lease = new BlockingLease(client.lease(options("job")))) {
            while (!enough.get()) {
                claim(lease);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void claim(BlockingLease lease) throws InterruptedException {
        try {
            Optional<Grant> grant = lease.acquire(Duration.ofSeconds(10));
            if (grant.isPresent()) {
                hold(grant.get());
                lease.release();
            }
        } catch (LeaseUnavailableException | LeaseReleaseException e) {
            failures.incrementAndGet();
        }
    }

    /** Holds for a moment, and counts a loss if the client no longer considers the grant alive. */
    private void hold(Grant grant) throws InterruptedException {
        grants.incrementAndGet();
        long fence = grant.fence().orElseThrow();
        if (holders.incrementAndGet() > 1) {
            overlaps.incrementAndGet();
        }
        if (newestFence.getAndUpdate(newest -> Math.max(newest, fence)) > fence) {
            olderFences.incrementAndGet();
        }
        TimeUnit.MILLISECONDS.sleep(5);
        if (!grant.isAlive()) {
            losses.incrementAndGet();
        }
        holders.decrementAndGet();
    }

    @Test
    @Timeout(180)
    void aHeldGrantGoesOnThroughAnotherGateway() throws Exception {
        aHeldGrantOutlives(GatewayProcess::kill);
    }

    @Test
    @Timeout(180)
    void aHeldGrantOutlivesAGatewayThatStandsStill() throws Exception {
        aHeldGrantOutlives(GatewayProcess::pause);
    }

    /** The fault that strikes the gateway that made the grant. */
    @FunctionalInterface
    private interface Fault {
        void strike(GatewayProcess gateway) throws Exception;
    }

    private void aHeldGrantOutlives(Fault fault) throws Exception {
        List<GatewayProcess> gateways = threeGateways();
        try (LeaseProvider client = connect(gateways, 0);
                Lease lease = client.lease(options("kept"))) {
            assertThat(lease.acquire().toCompletableFuture().get(30, TimeUnit.SECONDS))
                    .isTrue();
            Grant grant = lease.current().orElseThrow();
            fault.strike(gateways.get(0));
            long end = System.nanoTime() + TTL.toNanos() * 2;
            Polling.until("two times of the lease", () -> System.nanoTime() - end > 0);
            assertThat(grant.isAlive()).isTrue();
            LineClient other = bed.client(gateways.get(1));
            assertThat(other.ask("hello", "me", "incarnation")).isEqualTo("ok");
            assertThat(other.ask("l", "kept", "0")).isEqualTo("timeout");
        }
    }
}
