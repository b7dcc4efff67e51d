package io.flockgate.client.server;

import static io.flockgate.client.server.TestLeases.PATIENCE;
import static io.flockgate.client.server.TestLeases.get;
import static io.flockgate.client.server.TestLeases.lease;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Grant;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.testsupport.FaultyLink;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Leases over the REST API while gateways and networks fail. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class RestFaultTest {
    @Test
    void aGrantOutlivesItsSession() throws Exception {
        try (GatewayProcess gateway = GatewayLauncher.ofJar("--http-session-idle-timeout=1", "--debug")
                        .withHttp()
                        .start();
                LeaseProvider provider = Flockgate.connect(gateway.http());
                LineClient observer = gateway.client()) {
            Lease lease = lease(provider, "job");
            Grant grant = get(lease.acquireWithToken()).orElseThrow();

            // Only a session with a grant idles out: the client ends its others, and pings through
            // new ones.
            gateway.awaitLog("session idle for too long");

            assertThat(observer.ask("l", "job", "0")).isEqualTo("timeout");
            assertThat(get(grant.ensure(Duration.ofSeconds(50)))).isTrue();
            get(lease.release());
            assertThat(observer.ask("l", "job", "0")).startsWith("ok ");
        }
    }

    @Test
    void aSecondServerTakesOver() throws Exception {
        try (GatewayProcess first = GatewayLauncher.ofJar().withHttp().start();
                LeaseProvider provider =
                        Flockgate.connect(first.http(), SharedGateway.get().http());
                LineClient observer = SharedGateway.get().client()) {
            assertThat(get(lease(provider, "rest-one").acquire())).isTrue();

            first.kill();

            assertThat(get(lease(provider, "rest-two").acquire())).isTrue();
            assertThat(observer.ask("l", "rest-two", "0")).isEqualTo("timeout");
        }
    }

    @Test
    void aWaitGoesOnOverALostConnection() throws Exception {
        GatewayProcess gateway = SharedGateway.get();
        try (FaultyLink link = FaultyLink.to(gateway.httpPort());
                LeaseProvider provider = Flockgate.connect(link.uri("http"));
                LineClient other = gateway.client()) {
            var held = other.lock("rest-wait", 0, 60);
            CompletionStage<Optional<Grant>> wait = lease(provider, "rest-wait").acquire(Duration.ofSeconds(60));
            other.awaitWaiters("rest-wait", 1);
            int before = link.accepted();

            link.cut();
            Polling.until("another connection", () -> link.accepted() > before);
            other.awaitWaiters("rest-wait", 1);
            other.release(held);

            assertThat(get(wait)).isPresent();
        }
    }

    @Test
    void aWaitGoesOnAtAnotherServerWhenItsServerShutsDown() throws Exception {
        try (GatewayProcess first = GatewayLauncher.ofJar().withHttp().start();
                LineClient other = first.client();
                LeaseProvider provider =
                        Flockgate.connect(first.http(), SharedGateway.get().http())) {
            other.lock("rest-moving");
            CompletionStage<Optional<Grant>> wait =
                    lease(provider, "rest-moving").acquire(Duration.ofSeconds(60));
            other.awaitWaiters("rest-moving", 1);

            first.signal("TERM");

            assertThat(get(wait)).isPresent();
        }
    }

    @Test
    void anAbandonedWaitGivesUpItsPlace() throws Exception {
        GatewayProcess gateway = SharedGateway.get();
        try (LeaseProvider provider = Flockgate.connect(gateway.http());
                LineClient other = gateway.client()) {
            var held = other.lock("rest-abandoned", 0, 60);
            Lease lease = lease(provider, "rest-abandoned");
            CompletionStage<Optional<Grant>> wait = lease.acquire(Duration.ofSeconds(60));
            other.awaitWaiters("rest-abandoned", 1);

            get(lease.release());

            assertThat(get(wait)).isEmpty();
            other.awaitWaiters("rest-abandoned", 0);
            other.release(held);
            assertThat(get(lease.acquire())).isTrue();
        }
    }

    @Test
    void aSemaphoreIsOneForBothProtocols() throws Exception {
        try (LeaseProvider provider = Flockgate.connect(SharedGateway.get().http());
                LineClient other = SharedGateway.get().client()) {
            LeaseOptions two = LeaseOptions.named("rest-slots")
                    .limit(2)
                    .ttl(Duration.ofSeconds(60))
                    .requestTimeout(PATIENCE)
                    .build();

            assertThat(get(provider.lease(two).acquire())).isTrue();
            assertThat(other.ask("sl", "rest-slots", "0 2")).startsWith("ok ");
            assertThat(get(provider.lease(two).acquire())).isFalse();
        }
    }

    @Test
    void aClaimThatTimedOutHoldsNothingOnceTheServerGoesOn() throws Exception {
        try (GatewayProcess gateway =
                        SharedGateway.warm(GatewayLauncher.ofJar().withHttp().start());
                LeaseProvider provider = SharedGateway.warm(Flockgate.connect(gateway.http()));
                LineClient observer = gateway.client()) {
            Lease lease = provider.lease(LeaseOptions.named("ghost")
                    .ttl(Duration.ofMinutes(10))
                    .requestTimeout(Duration.ofSeconds(1))
                    .build());
            get(lease.acquire());
            get(lease.release());
            gateway.pause();
            TestLeases.assertUnavailable(lease.acquire(), true);
            gateway.resume();

            assertThat(observer.ask("l", "before", "0 60")).startsWith("ok ");
            Polling.until("the ghost is gone", () -> !TestLeases.isHeld(observer, "ghost"));
        }
    }
}
