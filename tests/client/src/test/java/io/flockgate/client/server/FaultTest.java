package io.flockgate.client.server;

import static io.flockgate.client.server.TestLeases.get;
import static io.flockgate.client.server.TestLeases.shortLease;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.testsupport.FaultyLink;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Leases while the network or the gateway fails. */
@Tag("process")
class FaultTest {
    @Test
    void aWaiterBehindABalancerThatCutsIdleConnectionsKeepsItsPlace() throws Exception {
        GatewayProcess gateway = SharedGateway.get();
        try (FaultyLink balancer = FaultyLink.to(gateway.port()).cutIdle(Duration.ofSeconds(4));
                LeaseProvider provider = Flockgate.connect(balancer.uri("flockgate"));
                LineClient idle = LineClient.connect(balancer.port());
                LineClient holder = gateway.client();
                LineClient later = gateway.client()) {
            HeldGrant held = holder.lock("balanced");
            CompletionStage<Optional<LeaseGrant>> waiter =
                    shortLease(provider, "balanced").acquire(Duration.ofMinutes(1));
            holder.awaitWaiters("balanced", 1);
            later.queueUp("balanced", holder, 2);
            assertThat(idle.ask("ping", "_", "_")).isEqualTo("ok");
            assertThat(idle.rest())
                    .as("what a client gets that is idle for longer")
                    .isEmpty();

            assertThat(balancer.accepted())
                    .as("its connection and the idle one")
                    .isEqualTo(2);
            holder.release(held);
            assertThat(get(waiter)).isPresent();
        }
    }

    @Test
    void aWaitGoesOnOverALostConnection() throws Exception {
        GatewayProcess gateway = SharedGateway.get();
        try (FaultyLink link = FaultyLink.to(gateway.port());
                LeaseProvider provider = SharedGateway.warm(Flockgate.connect(link.uri("flockgate")));
                LineClient other = gateway.client()) {
            String token = other.ask("l", "wait", "0 60").split(" ", -1)[1];
            Lease lease = shortLease(provider, "wait");
            CompletionStage<Optional<LeaseGrant>> wait = lease.acquire(Duration.ofSeconds(60));
            other.awaitWaiters("wait", 1);
            int before = link.accepted();

            link.cut();
            Polling.until("another connection", () -> link.accepted() >= before + 1);
            other.awaitWaiters("wait", 1);
            assertThat(other.ask("r", "wait", token)).isEqualTo("ok");

            assertThat(get(wait)).isPresent();
        }
    }

    @Test
    void waitsAndClaimsGoOnAtAnotherServerWhenTheirServerShutsDown() throws Exception {
        try (GatewayProcess first = SharedGateway.warm(GatewayLauncher.ofJar().start());
                LineClient other = first.client();
                LineClient observer = SharedGateway.get().client();
                FaultyLink second = FaultyLink.to(SharedGateway.get().port());
                LeaseProvider provider = Flockgate.connect(SharedGateway.uri(first), second.uri("flockgate"))) {
            var unused = other.lock("moving", 0, 600);
            // A slow answer from the first server would send a claim to the second at once.
            second.sever();
            assertThat(get(TestLeases.lease(provider, "before").acquire())).isTrue();
            CompletionStage<Optional<LeaseGrant>> wait =
                    TestLeases.lease(provider, "moving").acquire(Duration.ofSeconds(60));
            other.awaitWaiters("moving", 1);
            second.mend();

            first.signal("TERM");

            assertThat(get(wait)).isPresent();
            assertThat(get(TestLeases.lease(provider, "after").acquire())).isTrue();
            assertThat(observer.ask("l", "after", "0")).isEqualTo("timeout");
        }
    }

    @Test
    void aNoThatMayMeanAnUnheardGrantIsUnknown() throws Exception {
        GatewayProcess gateway = SharedGateway.get();
        try (FaultyLink link = FaultyLink.to(gateway.port());
                LeaseProvider provider = SharedGateway.warm(Flockgate.connect(link.uri("flockgate")));
                LineClient other = gateway.client()) {
            HeldGrant held = other.lock("unheard");
            Lease lease = shortLease(provider, "unheard");
            CompletionStage<Optional<LeaseGrant>> wait = lease.acquire(Duration.ofSeconds(4));
            other.awaitWaiters("unheard", 1);

            link.hush();
            other.release(held);
            other.awaitWaiters("unheard", 0);
            link.cut();

            TestLeases.assertUnavailable(wait, true);
        }
    }

    @Test
    void anAbandonedWaitGivesUpItsPlaceAndItsConnection() throws Exception {
        GatewayProcess gateway = SharedGateway.get();
        try (FaultyLink link = FaultyLink.to(gateway.port());
                LeaseProvider provider = SharedGateway.warm(Flockgate.connect(link.uri("flockgate")));
                LineClient other = gateway.client()) {
            String token = other.ask("l", "abandoned", "0 60").split(" ", -1)[1];
            Lease lease = shortLease(provider, "abandoned");
            CompletionStage<Optional<LeaseGrant>> wait = lease.acquire(Duration.ofSeconds(60));
            other.awaitWaiters("abandoned", 1);

            get(lease.release());

            assertThat(get(wait)).isEmpty();
            other.awaitWaiters("abandoned", 0);
            Polling.until("the end of the waiting connection", () -> link.open() == 1);
            assertThat(other.ask("r", "abandoned", token)).isEqualTo("ok");
            assertThat(get(lease.acquire())).isTrue();
        }
    }

    /** With ample time for each answer, because a late one ends the use of its connection. */
    @Test
    void manyLeasesShareOneConnection() throws Exception {
        GatewayProcess gateway = SharedGateway.get();
        try (FaultyLink link = FaultyLink.to(gateway.port());
                LeaseProvider provider = Flockgate.connect(link.uri("flockgate"))) {
            List<Lease> leases = IntStream.range(0, 200)
                    .mapToObj(i -> TestLeases.lease(provider, "many-" + i))
                    .toList();
            for (CompletionStage<Boolean> claim :
                    leases.stream().map(Lease::acquire).toList()) {
                assertThat(get(claim)).isTrue();
            }
            for (CompletionStage<Void> release :
                    leases.stream().map(Lease::release).toList()) {
                Object unused = get(release);
            }

            assertThat(link.accepted()).isEqualTo(1);
        }
    }

    @Test
    void aShortLeaseOutlivesOneHungServer() throws Exception {
        GatewayProcess gateway = SharedGateway.get();
        try (FaultyLink hung = FaultyLink.to(gateway.port());
                FaultyLink healthy = FaultyLink.to(gateway.port());
                LeaseProvider provider =
                        SharedGateway.warm(Flockgate.connect(hung.uri("flockgate"), healthy.uri("flockgate")))) {
            Lease lease = provider.lease(
                    LeaseOptions.named("short").ttl(TestLeases.TTL).build());
            LeaseGrant grant = get(lease.acquireWithToken()).orElseThrow();

            hung.hush();
            hung.blackHole();

            TestLeases.awaitRenewal(lease, TestLeases.TTL);
            TestLeases.awaitRenewal(lease, TestLeases.TTL);
            assertThat(lease.current()).contains(grant);
            get(lease.release());
        }
    }

    @Test
    void claimsThatTimedOutHoldNothingOnceTheServerGoesOn() throws Exception {
        try (GatewayProcess gateway = SharedGateway.warm(GatewayLauncher.ofJar().start());
                LeaseProvider provider = SharedGateway.warm(Flockgate.connect(SharedGateway.uri(gateway)));
                LineClient other = gateway.client()) {
            HeldGrant held = other.lock("waited");
            CompletionStage<Optional<LeaseGrant>> wait =
                    impatient(provider, "waited").acquire(Duration.ofSeconds(2));
            other.awaitWaiters("waited", 1);
            gateway.pause();
            CompletionStage<Boolean> claim = impatient(provider, "claimed").acquire();
            other.send(LineClient.frame("r", "waited", held.token()));
            assertThatThrownBy(() -> get(claim)).hasCauseInstanceOf(LeaseUnavailableException.class);
            assertThatThrownBy(() -> get(wait)).hasCauseInstanceOf(LeaseUnavailableException.class);
            gateway.resume();

            assertThat(other.line()).isEqualTo("ok");
            for (String name : List.of("claimed", "waited")) {
                Polling.until("the ghost is gone", () -> !TestLeases.isHeld(other, name));
            }
        }
    }

    private static Lease impatient(LeaseProvider provider, String name) {
        return provider.lease(LeaseOptions.named(name)
                .ttl(Duration.ofMinutes(10))
                .requestTimeout(Duration.ofSeconds(1))
                .build());
    }

    @Test
    void aReleaseGoesToTheServerThatTookOver() throws Exception {
        GatewayProcess gateway = SharedGateway.get();
        try (FaultyLink hung = FaultyLink.to(gateway.port());
                LeaseProvider provider = Flockgate.connect(hung.uri("flockgate"), SharedGateway.uri(gateway));
                LineClient observer = gateway.client()) {
            // Even half of the request timeout is beyond the patience of this test.
            LeaseOptions patient = LeaseOptions.named("took-over")
                    .ttl(Duration.ofMinutes(10))
                    .requestTimeout(Duration.ofMinutes(3))
                    .build();
            Lease lease = provider.lease(patient);
            assertThat(get(lease.acquire())).isTrue();
            get(lease.release());
            hung.hush();
            hung.blackHole();

            assertThat(get(lease.acquire(Duration.ofSeconds(60)))).isPresent();
            get(lease.release());
            assertThat(TestLeases.isHeld(observer, "took-over")).isFalse();
        }
    }

    /** The task that would find the address of the server never runs. */
    @Test
    void theNextClaimDoesNotWaitForAHostNameLookupThatHangs() throws Exception {
        AtomicInteger tasks = new AtomicInteger();
        ConnectOptions options = ConnectOptions.defaults().ioExecutor(task -> {
            if (tasks.incrementAndGet() > 1) {
                Thread.ofVirtual().start(task);
            }
        });
        try (LeaseProvider provider = Flockgate.connect(options, List.of(SharedGateway.uri(SharedGateway.get())))) {
            Lease lease = impatient(provider, "slow-resolver");
            assertThatThrownBy(() -> get(lease.acquire())).isNotNull();
            assertThat(tasks).hasValue(1);
            assertThat(get(lease.acquire())).isTrue();
        }
    }
}
