package io.flockgate.client.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.Grant;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseAuthException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Leases over the REST API: tokens, TLS, and gateways and networks that fail. */
@Execution(ExecutionMode.CONCURRENT)
class RestFaultTest {
    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    /** With so much time for an answer that a slow machine has it, too. */
    private static Lease lease(LeaseProvider provider, String name) {
        return provider.lease(LeaseOptions.named(name)
                .ttl(Duration.ofSeconds(60))
                .requestTimeout(Duration.ofSeconds(19))
                .build());
    }

    @Test
    void aTokenIsNeeded() throws Exception {
        try (GatewayProcess gateway =
                GatewayLauncher.ofJar("--auth-token=s3cret").withHttp().start()) {
            List<URI> server = List.of(gateway.http());
            ConnectOptions options = ConnectOptions.defaults();
            try (LeaseProvider right = Flockgate.connect(options.authToken("s3cret"), server);
                    LeaseProvider wrong = Flockgate.connect(options.authToken("other"), server);
                    LeaseProvider none = Flockgate.connect(options, server)) {
                assertThat(get(lease(right, "job").acquire())).isTrue();
                assertThatThrownBy(() -> get(lease(wrong, "job").acquire()))
                        .hasCauseInstanceOf(LeaseAuthException.class)
                        .hasMessageNotContaining("other");
                assertThatThrownBy(() -> get(lease(none, "job").acquire(Duration.ofSeconds(5))))
                        .hasCauseInstanceOf(LeaseAuthException.class);
            }
        }
    }

    @Test
    void tlsChecksTheServer() throws Exception {
        try (GatewayProcess gateway = GatewayLauncher.ofJar(
                        "--tls-cert=" + Trust.file("rsa.crt"), "--tls-key=" + Trust.file("rsa-pkcs8.key"))
                .withHttp()
                .start()) {
            List<URI> server = List.of(URI.create("https://localhost:" + gateway.httpPort()));
            ConnectOptions options = ConnectOptions.defaults();
            try (LeaseProvider trusting = Flockgate.connect(options.sslContext(Trust.in("rsa.crt")), server);
                    LeaseProvider strange = Flockgate.connect(options.sslContext(Trust.in("ec.crt")), server)) {
                assertThat(get(lease(trusting, "job").acquire())).isTrue();
                assertThat(get(lease(trusting, "wait").acquire(Duration.ofSeconds(5))))
                        .isPresent();
                assertThatThrownBy(() -> get(lease(strange, "job").acquire()))
                        .cause()
                        .isInstanceOfSatisfying(
                                LeaseUnavailableException.class,
                                failure -> assertThat(failure.mayHold()).isFalse());
            }
        }
    }

    @Test
    void aGrantOutlivesItsSession() throws Exception {
        try (GatewayProcess gateway = GatewayLauncher.ofJar("--http-session-idle-timeout=1")
                        .withHttp()
                        .start();
                LeaseProvider provider = Flockgate.connect(gateway.http());
                LineClient observer = gateway.client()) {
            Lease lease = lease(provider, "job");
            Grant grant = get(lease.acquireWithToken()).orElseThrow();

            observer.awaitStats("\"connections\":1,");

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
        try (Wire wire = Wire.to(gateway.httpPort());
                LeaseProvider provider = Flockgate.connect(
                        URI.create("http://127.0.0.1:" + wire.uri().getPort()));
                LineClient other = gateway.client()) {
            var held = other.lock("rest-wait", 0, 60);
            CompletionStage<Optional<Grant>> wait = lease(provider, "rest-wait").acquire(Duration.ofSeconds(60));
            other.awaitWaiters("rest-wait", 1);
            int before = wire.accepted();

            wire.cut();
            Polling.until("another connection", () -> wire.accepted() > before);
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
                    .requestTimeout(Duration.ofSeconds(19))
                    .build();

            assertThat(get(provider.lease(two).acquire())).isTrue();
            assertThat(other.ask("sl", "rest-slots", "0 2")).startsWith("ok ");
            assertThat(get(provider.lease(two).acquire())).isFalse();
        }
    }
}
