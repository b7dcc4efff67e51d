package io.flockgate.client.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.kubernetes.KubernetesBackend;
import io.flockgate.client.kubernetes.KubernetesOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a back end over HTTP leaves behind when it is closed. */
@Timeout(60)
class ClosedBackEndsTest {
    private static final int PATIENCE_MILLIS = 10_000;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CompletableFuture<Boolean> ended = new CompletableFuture<>();
    private ServerSocket server;

    @BeforeEach
    void start() throws IOException {
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        threads.shutdownNow();
    }

    /** Refuses one request, keeps the connection open, and records whether the client ends it. */
    private void refuseOne() {
        try (Socket client = server.accept()) {
            client.setSoTimeout(PATIENCE_MILLIS);
            BufferedReader lines = new BufferedReader(new InputStreamReader(client.getInputStream(), US_ASCII));
            while (!lines.readLine().isEmpty()) {
                // The head ends with an empty line.
            }
            client.getOutputStream()
                    .write("HTTP/1.1 403 Forbidden\r\nContent-Length: 17\r\n\r\nPermission denied".getBytes(US_ASCII));
            ended.complete(lines.readLine() == null);
        } catch (IOException stillOpen) {
            ended.complete(false);
        }
    }

    private String address() {
        return server.getInetAddress().getHostAddress() + ":" + server.getLocalPort();
    }

    private static void useAndClose(LeaseBackend backend) throws Exception {
        AcquireRequest claim = new AcquireRequest(
                "job",
                1,
                "me",
                Duration.ofSeconds(30),
                Duration.ZERO,
                Duration.ofSeconds(5),
                new CompletableFuture<>());
        assertThat(backend.acquire(claim).handle((answer, failure) -> failure).toCompletableFuture())
                .succeedsWithin(Duration.ofSeconds(30))
                .isNotNull();
        backend.close();
    }

    @Test
    void aClosedBackEndOverKubernetesLeavesNoConnection() throws Exception {
        threads.execute(this::refuseOne);
        useAndClose(new KubernetesBackend(KubernetesOptions.of(URI.create("http://" + address()), "default")));
        assertThat(ended.get(30, TimeUnit.SECONDS)).isTrue();
    }
}
