package io.flockgate.client.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Grant;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.LostEvent;
import io.flockgate.client.LostReason;
import io.flockgate.testsupport.FaultyLink;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Leases while the network or the gateway fails. */
@Tag("process")
class FaultTest {
    private static final Duration TTL = Duration.ofSeconds(6);

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    private static Lease lease(LeaseProvider provider, String name) {
        return provider.lease(LeaseOptions.named(name)
                .ttl(TTL)
                .requestTimeout(TTL.dividedBy(3))
                .renewInterval(TTL.dividedBy(4))
                .build());
    }

    private static URI uri(GatewayProcess gateway) {
        return SharedGateway.uri(gateway);
    }

    @Test
    void aDetachedGrantOutlivesItsConnection() throws Exception {
        GatewayProcess gateway = SharedGateway.get();
        try (FaultyLink link = FaultyLink.to(gateway.port());
                LeaseProvider provider = SharedGateway.warm(Flockgate.connect(link.uri("flockgate")));
                LineClient observer = gateway.client()) {
            Lease lease = lease(provider, "detached");
            String token = get(lease.acquireWithToken()).orElseThrow().token();

            link.cut();

            TestLeases.awaitRenewal(lease, TTL);
            assertThat(observer.ask("l", "detached", "0")).isEqualTo("timeout");
            assertThat(lease.current().orElseThrow().token()).isEqualTo(token);
            get(lease.release());
            assertThat(observer.ask("l", "detached", "0")).startsWith("ok ");
        }
    }

    @Test
    void aWaiterBehindABalancerThatCutsIdleConnectionsKeepsItsPlace() throws Exception {
        GatewayProcess gateway = SharedGateway.get();
        try (FaultyLink balancer = FaultyLink.to(gateway.port()).cutIdle(Duration.ofSeconds(4));
                LeaseProvider provider = Flockgate.connect(balancer.uri("flockgate"));
                LineClient idle = LineClient.connect(balancer.port());
                LineClient holder = gateway.client();
                LineClient later = gateway.client()) {
            HeldGrant held = holder.lock("balanced");
            CompletionStage<Optional<Grant>> waiter =
                    lease(provider, "balanced").acquire(Duration.ofMinutes(1));
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
    void aConnectionThatFallsSilentIsReplaced() throws Exception {
        GatewayProcess gateway = SharedGateway.get();
        try (FaultyLink link = FaultyLink.to(gateway.port());
                LeaseProvider provider = SharedGateway.warm(Flockgate.connect(link.uri("flockgate")))) {
            Lease lease = lease(provider, "silent");
            assertThat(get(lease.acquire())).isTrue();

            link.hush();

            TestLeases.awaitRenewal(lease, TTL);
            // On a busy machine another answer may be late, and the connection is replaced again.
            assertThat(link.accepted()).isGreaterThanOrEqualTo(2);
        }
    }

    @Test
    void aGrantOfAnOlderServerIsLostWithItsConnection() throws Exception {
        GatewayProcess gateway = SharedGateway.get();
        try (FaultyLink link = SharedGateway.older(gateway.port());
                LeaseProvider provider = SharedGateway.warm(Flockgate.connect(link.uri("flockgate")))) {
            Lease lease = lease(provider, "older");
            Grant grant = get(lease.acquireWithToken()).orElseThrow();
            assertThat(grant.fence()).isEmpty();

            link.cut();

            LostEvent event = get(grant.lost());
            assertThat(event.reason()).isEqualTo(LostReason.CONNECTION_LOST);
            assertThat(lease.checkAlive()).isFalse();
        }
    }

    @Test
    void aServerThatStandsStillCostsTheLeaseInTime() throws Exception {
        try (GatewayProcess gateway = SharedGateway.warm(GatewayLauncher.ofJar().start());
                LeaseProvider provider = SharedGateway.warm(Flockgate.connect(uri(gateway)))) {
            Lease lease = lease(provider, "job");
            Grant grant = get(lease.acquireWithToken()).orElseThrow();

            gateway.pause();
            LostEvent event = get(grant.lost());
            CompletableFuture<Boolean> unknown = lease.acquire().toCompletableFuture();

            assertThat(event.reason()).isEqualTo(LostReason.EXPIRED_LOCALLY);
            assertThatThrownBy(() -> get(unknown)).hasCauseInstanceOf(LeaseUnavailableException.class);
            gateway.resume();
            assertThat(get(lease.acquire(Duration.ofSeconds(10)))).isPresent();
        }
    }

    @Test
    void aSecondServerTakesOver() throws Exception {
        try (GatewayProcess first = SharedGateway.warm(GatewayLauncher.ofJar().start());
                GatewayProcess second =
                        SharedGateway.warm(GatewayLauncher.ofJar().start());
                LeaseProvider provider = SharedGateway.warm(Flockgate.connect(uri(first), uri(second)))) {
            assertThat(get(lease(provider, "one").acquire())).isTrue();

            try (LineClient client = first.client()) {
                first.signal("TERM");
                assertThat(client.pingUntilRefused()).isEqualTo("error_draining");
            }

            assertThat(get(lease(provider, "two").acquire())).isTrue();
            try (LineClient client = second.client()) {
                assertThat(client.ask("l", "two", "0")).isEqualTo("timeout");
            }
        }
    }

    @Test
    void aWaitGoesOnOverALostConnection() throws Exception {
        GatewayProcess gateway = SharedGateway.get();
        try (FaultyLink link = FaultyLink.to(gateway.port());
                LeaseProvider provider = SharedGateway.warm(Flockgate.connect(link.uri("flockgate")));
                LineClient other = gateway.client()) {
            String token = other.ask("l", "wait", "0 60").split(" ", -1)[1];
            Lease lease = lease(provider, "wait");
            CompletionStage<Optional<Grant>> wait = lease.acquire(Duration.ofSeconds(60));
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
    void aWaitGoesOnAtAnotherServerWhenItsServerShutsDown() throws Exception {
        try (GatewayProcess first = SharedGateway.warm(GatewayLauncher.ofJar().start());
                LineClient other = first.client();
                FaultyLink second = FaultyLink.to(SharedGateway.get().port());
                LeaseProvider provider = Flockgate.connect(uri(first), second.uri("flockgate"))) {
            var unused = other.lock("moving", 0, 600);
            Lease lease = TestLeases.lease(provider, "moving");
            // A slow answer from the first server would send the claim to the second at once.
            second.sever();
            CompletionStage<Optional<Grant>> wait = lease.acquire(Duration.ofSeconds(60));
            other.awaitWaiters("moving", 1);
            second.mend();

            first.signal("TERM");

            assertThat(get(wait)).isPresent();
        }
    }

    @Test
    void aNoThatMayMeanAnUnheardGrantIsUnknown() throws Exception {
        GatewayProcess gateway = SharedGateway.get();
        try (FaultyLink link = FaultyLink.to(gateway.port());
                LeaseProvider provider = SharedGateway.warm(Flockgate.connect(link.uri("flockgate")));
                LineClient other = gateway.client()) {
            HeldGrant held = other.lock("unheard");
            Lease lease = lease(provider, "unheard");
            CompletionStage<Optional<Grant>> wait = lease.acquire(Duration.ofSeconds(4));
            other.awaitWaiters("unheard", 1);

            link.hush();
            other.release(held);
            other.awaitWaiters("unheard", 0);
            link.cut();

            assertThatThrownBy(() -> get(wait))
                    .cause()
                    .isInstanceOfSatisfying(
                            LeaseUnavailableException.class,
                            unknown -> assertThat(unknown.mayHold()).isTrue());
        }
    }

    @Test
    void anAbandonedWaitGivesUpItsPlaceAndItsConnection() throws Exception {
        GatewayProcess gateway = SharedGateway.get();
        try (FaultyLink link = FaultyLink.to(gateway.port());
                LeaseProvider provider = SharedGateway.warm(Flockgate.connect(link.uri("flockgate")));
                LineClient other = gateway.client()) {
            String token = other.ask("l", "abandoned", "0 60").split(" ", -1)[1];
            Lease lease = lease(provider, "abandoned");
            CompletionStage<Optional<Grant>> wait = lease.acquire(Duration.ofSeconds(60));
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
            Lease lease = provider.lease(LeaseOptions.named("short").ttl(TTL).build());
            Grant grant = get(lease.acquireWithToken()).orElseThrow();

            hung.hush();
            hung.blackHole();

            TestLeases.awaitRenewal(lease, TTL);
            TestLeases.awaitRenewal(lease, TTL);
            assertThat(lease.current()).contains(grant);
            get(lease.release());
        }
    }

    @Test
    void aHungServerCostsAWaitLittle() throws Exception {
        GatewayProcess gateway = SharedGateway.get();
        try (FaultyLink hung = FaultyLink.to(gateway.port());
                LeaseProvider provider = Flockgate.connect(hung.uri("flockgate"), uri(gateway))) {
            hung.blackHole();
            LeaseOptions patient = LeaseOptions.named("hung-first")
                    .ttl(Duration.ofMinutes(5))
                    .requestTimeout(Duration.ofSeconds(80))
                    .build();

            // Half of the request timeout is far beyond the patience of this call.
            assertThat(get(provider.lease(patient).acquire(Duration.ofSeconds(60))))
                    .isPresent();
        }
    }

    @Test
    void aClaimThatTimedOutHoldsNothingOnceTheServerGoesOn() throws Exception {
        try (GatewayProcess gateway = SharedGateway.warm(GatewayLauncher.ofJar().start());
                LeaseProvider provider = SharedGateway.warm(Flockgate.connect(uri(gateway)));
                LineClient observer = gateway.client()) {
            Lease lease = provider.lease(LeaseOptions.named("ghost")
                    .ttl(Duration.ofMinutes(10))
                    .requestTimeout(Duration.ofSeconds(1))
                    .build());
            gateway.pause();
            assertThatThrownBy(() -> get(lease.acquire())).hasCauseInstanceOf(LeaseUnavailableException.class);
            gateway.resume();

            assertThat(observer.ask("l", "before", "0 60")).startsWith("ok ");
            Polling.until("the ghost is gone", () -> !TestLeases.isHeld(observer, "ghost"));
        }
    }

    @Test
    void aWaitThatTimedOutHoldsNothingOnceTheServerGoesOn() throws Exception {
        try (GatewayProcess gateway = SharedGateway.warm(GatewayLauncher.ofJar().start());
                LeaseProvider provider = SharedGateway.warm(Flockgate.connect(uri(gateway)));
                LineClient other = gateway.client()) {
            HeldGrant held = other.lock("late-wait");
            Lease lease = provider.lease(LeaseOptions.named("late-wait")
                    .ttl(Duration.ofMinutes(10))
                    .requestTimeout(Duration.ofSeconds(1))
                    .build());
            CompletionStage<Optional<Grant>> wait = lease.acquire(Duration.ofSeconds(2));
            other.awaitWaiters("late-wait", 1);
            gateway.pause();
            other.send(LineClient.frame("r", "late-wait", held.token()));
            assertThatThrownBy(() -> get(wait)).hasCauseInstanceOf(LeaseUnavailableException.class);
            gateway.resume();

            assertThat(other.line()).isEqualTo("ok");
            Polling.until("the ghost is gone", () -> !TestLeases.isHeld(other, "late-wait"));
        }
    }

    @Test
    void aReleaseGoesToTheServerThatTookOver() throws Exception {
        GatewayProcess gateway = SharedGateway.get();
        try (FaultyLink hung = FaultyLink.to(gateway.port());
                LeaseProvider provider = Flockgate.connect(hung.uri("flockgate"), uri(gateway));
                LineClient observer = gateway.client()) {
            LeaseOptions patient = LeaseOptions.named("took-over")
                    .ttl(Duration.ofMinutes(5))
                    .requestTimeout(Duration.ofSeconds(80))
                    .build();
            Lease lease = provider.lease(patient);
            assertThat(get(lease.acquire())).isTrue();
            get(lease.release());
            hung.hush();
            hung.blackHole();

            // The request timeout is far beyond the patience of these calls.
            assertThat(get(lease.acquire(Duration.ofSeconds(60)))).isPresent();
            get(lease.release());
            assertThat(TestLeases.isHeld(observer, "took-over")).isFalse();
        }
    }
}
