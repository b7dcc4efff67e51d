package io.flockgate.client.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseAuthException;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseClosedException;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses, tokens and TLS. */
class ConnectTest {
    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    /** With so much time for an answer that a slow machine has it, too. */
    private static Lease lease(LeaseProvider provider, String name) {
        return provider.lease(LeaseOptions.named(name)
                .ttl(Duration.ofSeconds(60))
                .requestTimeout(Duration.ofSeconds(20))
                .build());
    }

    @Test
    void aTokenIsNeeded() throws Exception {
        try (GatewayProcess gateway =
                GatewayLauncher.ofJar("--auth-token=s3cret").start()) {
            List<URI> server = List.of(URI.create("flockgate://127.0.0.1:" + gateway.port()));
            ConnectOptions options = ConnectOptions.defaults();
            try (LeaseProvider right = Flockgate.connect(options.authToken(" s3cret\n"), server);
                    LeaseProvider wrong = Flockgate.connect(options.authToken("other"), server);
                    LeaseProvider none = Flockgate.connect(options, server)) {
                assertThat(get(lease(right, "job").acquire())).isTrue();
                assertThatThrownBy(() -> get(lease(wrong, "job").acquire()))
                        .hasCauseInstanceOf(LeaseAuthException.class)
                        .hasMessageNotContaining("other");
                assertThatThrownBy(() -> get(lease(none, "job").acquire()))
                        .hasCauseInstanceOf(LeaseAuthException.class);
                assertThatThrownBy(() -> get(lease(wrong, "job").acquire(Duration.ofSeconds(5))))
                        .hasCauseInstanceOf(LeaseAuthException.class);
            }
        }
    }

    @Test
    void aTokenThatAServerDoesNotAskForIsNoHindrance() throws Exception {
        try (LeaseProvider provider = Flockgate.connect(
                ConnectOptions.defaults().authToken("s3cret"), List.of(SharedGateway.uri(SharedGateway.get())))) {
            assertThat(get(lease(provider, "token").acquire())).isTrue();
            assertThat(get(lease(provider, "token-wait").acquire(Duration.ofSeconds(5))))
                    .isPresent();
        }
    }

    @Test
    void tlsChecksTheServer() throws Exception {
        try (GatewayProcess gateway = GatewayLauncher.ofJar(
                        "--tls-cert=" + Trust.file("rsa.crt"), "--tls-key=" + Trust.file("rsa-pkcs8.key"))
                .start()) {
            List<URI> server = List.of(URI.create("flockgates://localhost:" + gateway.port()));
            ConnectOptions options = ConnectOptions.defaults();
            try (LeaseProvider trusting = Flockgate.connect(options.sslContext(Trust.in("rsa.crt")), server);
                    LeaseProvider strange = Flockgate.connect(options.sslContext(Trust.in("ec.crt")), server)) {
                assertThat(get(lease(trusting, "job").acquire())).isTrue();
                assertThat(get(lease(trusting, "wait").acquire(Duration.ofSeconds(5))))
                        .isPresent();
                assertThat(get(lease(trusting, "job").acquire(Duration.ofSeconds(1))))
                        .isEmpty();
                assertThatThrownBy(() -> get(lease(strange, "job").acquire()))
                        .hasCauseInstanceOf(LeaseUnavailableException.class);
            }
        }
    }

    @Test
    void aServerThatIsNotThereIsUnknownAndHoldsNothing() throws Exception {
        int nobody;
        try (ServerSocket free = new ServerSocket(0)) {
            nobody = free.getLocalPort();
        }
        try (LeaseProvider provider = Flockgate.connect(URI.create("flockgate://127.0.0.1:" + nobody))) {
            assertThatThrownBy(() -> get(provider.lease("job").acquire()))
                    .cause()
                    .isInstanceOfSatisfying(
                            LeaseUnavailableException.class,
                            unavailable -> assertThat(unavailable.mayHold()).isFalse())
                    .hasMessageContaining("127.0.0.1:" + nobody);
        }
    }

    @Test
    void aClosedBackEndAnswersAtOnce() {
        LeaseBackend backend =
                Flockgate.backend(ConnectOptions.defaults(), List.of(SharedGateway.uri(SharedGateway.get())));
        backend.close();

        for (Duration wait : List.of(Duration.ZERO, Duration.ofSeconds(60))) {
            AcquireRequest claim = new AcquireRequest(
                    "job", 1, "me", Duration.ofSeconds(6), wait, Duration.ofSeconds(2), new CompletableFuture<>());
            assertThatThrownBy(() -> get(backend.acquire(claim))).hasCauseInstanceOf(LeaseClosedException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ftp://host:6389",
                "http:host",
                "http:///",
                "http://user:secret@host",
                "https://host?x=1",
                "https://host#x",
                "http://host:0",
                "flockgate:host",
                "flockgate:///",
                "flockgate://user:secret@host",
                "flockgate://host/path",
                "flockgate://host?x=1",
                "flockgate://host:0",
                "flockgate://host:65536",
                "//host",
            })
    void anotherKindOfAddressIsRefused(String address) {
        assertThatThrownBy(() -> Flockgate.connect(URI.create(address)))
                .isInstanceOf(LeaseConfigException.class)
                .hasMessageNotContaining("secret");
    }

    @Test
    void addressesOfDifferentKindsAreRefused() {
        assertThatThrownBy(() -> Flockgate.connect(URI.create("flockgate://one"), URI.create("flockgates://two")))
                .isInstanceOf(LeaseConfigException.class);
        assertThatThrownBy(() -> Flockgate.connect(URI.create("http://one"), URI.create("https://two")))
                .isInstanceOf(LeaseConfigException.class);
        assertThatThrownBy(() -> Flockgate.connect(URI.create("flockgate://one"), URI.create("http://two")))
                .isInstanceOf(LeaseConfigException.class);
        assertThatThrownBy(() -> Flockgate.connect(ConnectOptions.defaults(), List.of()))
                .isInstanceOf(LeaseConfigException.class);
    }

    @Test
    void aTtlThatTheProtocolCannotSayIsRefused() {
        try (LeaseProvider provider = Flockgate.connect(URI.create("flockgate://127.0.0.1"))) {
            LeaseOptions fractional =
                    LeaseOptions.named("job").ttl(Duration.ofMillis(1500)).build();
            assertThatThrownBy(() -> provider.lease(fractional))
                    .isInstanceOf(LeaseConfigException.class)
                    .hasMessageContaining("whole seconds");
        }
    }
}
