package io.flockgate.client.server;

import static io.flockgate.client.server.TestLeases.assertUnavailable;
import static io.flockgate.client.server.TestLeases.claim;
import static io.flockgate.client.server.TestLeases.get;
import static io.flockgate.client.server.TestLeases.lease;
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
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HttpCall;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Addresses, tokens and TLS. */
@Execution(ExecutionMode.CONCURRENT)
class ConnectTest {
    @Tag("process")
    @Test
    void aTokenIsNeeded() throws Exception {
        try (GatewayProcess gateway =
                GatewayLauncher.ofJar("--auth-token=s3cret").start()) {
            List<URI> server = List.of(SharedGateway.uri(gateway));
            ConnectOptions options = ConnectOptions.defaults();
            try (LeaseProvider right = Flockgate.connect(options.authToken(" s3cret\n"), server);
                    LeaseProvider wrong = Flockgate.connect(options.authToken("wr0ng"), server);
                    LeaseProvider none = Flockgate.connect(options, server)) {
                assertThat(get(lease(right, "job").acquire())).isTrue();
                for (LeaseProvider refused : List.of(wrong, none)) {
                    for (Duration wait : List.of(Duration.ZERO, Duration.ofSeconds(5))) {
                        assertThatThrownBy(() -> get(lease(refused, "job").acquire(wait)))
                                .hasCauseInstanceOf(LeaseAuthException.class)
                                .hasMessageNotContaining("wr0ng");
                    }
                }
            }
        }
    }

    @Tag("process")
    @ParameterizedTest
    @CsvSource({"flockgate, the line protocol", "flockgates, TLS"})
    void aPortOfAnotherProtocolIsNamed(String scheme, String protocol) throws Exception {
        URI server = URI.create(scheme + "://127.0.0.1:" + SharedGateway.get().httpPort());
        try (LeaseProvider leases = Flockgate.connect(ConnectOptions.defaults(), List.of(server))) {
            assertUnavailable(lease(leases, "job").acquire(), false)
                    .hasMessageContaining("it does not speak " + protocol + " at this port");
        }
    }

    @Tag("process")
    @Test
    void operatorsSeeTheNameOfTheClientAndATokenThatIsNotAskedForIsNoHindrance() throws Exception {
        GatewayProcess gateway = SharedGateway.get();
        ConnectOptions options =
                ConnectOptions.defaults().clientName("billing-7").authToken("s3cret");
        try (LeaseProvider leases = Flockgate.connect(options, List.of(SharedGateway.uri(gateway)))) {
            Lease lease = lease(leases, "named");
            assertThat(get(lease.acquire())).isTrue();
            assertThat(get(lease(leases, "named-wait").acquire(Duration.ofSeconds(5))))
                    .isPresent();

            assertThat(HttpCall.ask(gateway.http(), "GET", "/v1/keys/named", ""))
                    .contains("\"name\":\"billing-7\"");
            assertThat(lease.owner()).startsWith("billing-7-");
        }
    }

    @Tag("process")
    @Test
    void tlsChecksTheServer() throws Exception {
        try (GatewayProcess gateway = GatewayLauncher.ofJar(
                        "--tls-cert=" + Trust.file("rsa.crt"), "--tls-key=" + Trust.file("rsa-pkcs8.key"))
                .start()) {
            Trust.warm("rsa.crt", gateway.port());
            List<URI> server = List.of(URI.create("flockgates://localhost:" + gateway.port()));
            ConnectOptions options = ConnectOptions.defaults();
            try (LeaseProvider trusting = Flockgate.connect(options.sslContext(Trust.in("rsa.crt")), server);
                    LeaseProvider strange = Flockgate.connect(options.sslContext(Trust.in("ec.crt")), server)) {
                assertThat(get(lease(trusting, "job").acquire())).isTrue();
                assertThat(get(lease(trusting, "wait").acquire(Duration.ofSeconds(5))))
                        .isPresent();
                assertThat(get(lease(trusting, "job").acquire(Duration.ofSeconds(1))))
                        .isEmpty();
                assertUnavailable(lease(strange, "job").acquire(), false);
            }
        }
    }

    @Tag("process")
    @Test
    void aClosedBackEndAnswersAtOnce() {
        LeaseBackend backend =
                Flockgate.backend(ConnectOptions.defaults(), List.of(SharedGateway.uri(SharedGateway.get())));
        backend.close();

        for (Duration wait : List.of(Duration.ZERO, Duration.ofSeconds(60))) {
            AcquireRequest claim = claim(Duration.ofSeconds(6), wait, Duration.ofSeconds(2));
            assertThatThrownBy(() -> get(backend.acquire(claim))).hasCauseInstanceOf(LeaseClosedException.class);
        }
    }

    @Test
    void addressesOfDifferentKindsAreRefused() {
        assertThatThrownBy(() -> Flockgate.connect(URI.create("flockgate://one"), URI.create("flockgates://two")))
                .isInstanceOf(LeaseConfigException.class);
        assertThatThrownBy(() -> Flockgate.connect(URI.create("flockgate://one"), URI.create("kubernetes://two/n")))
                .isInstanceOf(LeaseConfigException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "http://gate-1:6389, flockgate://gate-1:6388",
        "https://gate-1, flockgates://gate-1:6388",
        "HTTP://[::1]:6389/v1, flockgate://[::1]:6388",
        "http://user:secret@gate-1, flockgate://gate-1:6388",
        "http:///, flockgate://host:6388",
    })
    void anAddressOfTheRestApiIsAnsweredWithTheOneToUse(String address, String instead) {
        assertThatThrownBy(() -> Flockgate.connect(URI.create("flockgate://gate-0"), URI.create(address)))
                .isInstanceOf(LeaseConfigException.class)
                .hasMessageContaining(instead + ",")
                .hasMessageContaining("--port")
                .hasMessageNotContaining("secret");
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
