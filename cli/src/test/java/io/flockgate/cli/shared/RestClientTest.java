package io.flockgate.cli.shared;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.cli.shared.ConnectionOptions.IoThreads;
import io.flockgate.cli.shared.ConnectionOptions.Servers;
import io.flockgate.client.support.Trust;
import io.flockgate.testsupport.Reply;
import io.flockgate.testsupport.ScriptedServer;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Connections to several gateways, some of which give no answer. */
class RestClientTest {
    private static final URI REFUSING = URI.create("http://127.0.0.1:1");

    /** How long each client has waited for an answer. */
    private final BlockingQueue<Duration> waits = new LinkedBlockingQueue<>();

    @AutoClose
    private final ScriptedServer silent = ScriptedServer.ofConnections(client -> {
        long begun = System.nanoTime();
        try {
            byte[] unused = client.getInputStream().readAllBytes();
        } finally {
            waits.add(Duration.ofNanos(System.nanoTime() - begun));
        }
    });

    @AutoClose
    private final ScriptedServer healthy = new ScriptedServer().otherwise(Reply.status(200, "{}"));

    private static RestClient client(URI... servers) {
        return new RestClient(new ConnectionOptions(new Servers(List.of(servers)), Optional.empty(), Optional.empty()));
    }

    @Test
    void aSilentGatewayIsSoonFollowedByTheNextWhichComesFirstFromThenOn() throws Exception {
        RestClient client = client(REFUSING, silent.uri(), healthy.uri());
        assertThat(client.ask("GET", "/v1/keys").status()).isEqualTo(200);
        assertThat(waits.take()).isLessThan(Duration.ofSeconds(5));

        assertThat(client.ask("GET", "/v1/keys").status()).isEqualTo(200);
        assertThat(waits).isEmpty();
        assertThat(healthy.received()).hasSize(2);
    }

    @Test
    void aSlowGatewayHasMoreTimeOnceAllHaveBeenTried() throws Exception {
        try (ScriptedServer slow = ScriptedServer.ofConnections(client -> {
            // The first request is given up before its answer; that to the second comes after a second.
            client.setSoTimeout(waits.isEmpty() ? 0 : 1_200);
            waits.add(Duration.ZERO);
            try {
                byte[] unused = client.getInputStream().readAllBytes();
            } catch (SocketTimeoutException stillWaiting) {
                client.getOutputStream().write("HTTP/1.1 204 OK\r\n\r\n".getBytes(US_ASCII));
            }
        })) {
            assertThat(client(slow.uri(), REFUSING).ask("GET", "/v1/keys").status())
                    .isEqualTo(204);
        }
        assertThat(waits).hasSize(2);
    }

    @Test
    void anOrderThatMayHaveArrivedIsNotSentAgain() {
        try (ScriptedServer closing = ScriptedServer.ofConnections(client -> {
            int unused = client.getInputStream().read();
        })) {
            RestClient client = client(REFUSING, closing.uri(), healthy.uri());
            assertThatThrownBy(() -> client.ask("POST", "/v1/keys/job/limit?limit=2&reason=r"))
                    .hasMessageContaining("no answer from " + closing.uri());
        }
        assertThat(healthy.received()).isEmpty();
    }

    /** The file of authorities may be replaced while a command runs. */
    @Test
    void aClientOfTheLineProtocolAsksForTheTrustOfEachConnection() {
        Supplier<SSLContext> trust = Trust::ofJvm;
        ConnectionOptions options = new ConnectionOptions(Servers.LOCAL, Optional.empty(), Optional.of(trust));
        try (IoThreads threads = new IoThreads()) {
            assertThat(options.client(threads).sslContext()).isSameAs(trust);
        }
    }

    @Test
    void eachGatewayThatWasTriedIsNamedAndAMissingAnswerOnce() {
        assertThat(Hints.withReason("gate-1:6388", "no answer in time")).isEqualTo("gate-1:6388 in time");
        assertThatThrownBy(
                        () -> client(REFUSING, URI.create("http://127.0.0.2:1")).ask("GET", "/v1/keys"))
                .hasMessageContaining("no answer from http://127.0.0.1:1: connection refused;"
                        + " no answer from http://127.0.0.2:1: connection refused");
    }
}
