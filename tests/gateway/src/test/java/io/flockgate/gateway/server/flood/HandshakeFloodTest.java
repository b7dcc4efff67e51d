package io.flockgate.gateway.server.flood;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.server.TlsClients;
import io.flockgate.gateway.server.flood.FloodedGateway.Heap;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A client without a token that begins a TLS handshake, resets the connection, and begins the next.
 * Each handshake costs the gateway more than the client.
 */
@Tag("flood")
@Order(0)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("flood")
class HandshakeFloodTest {
    /**
     * The computations for this number of handshakes take the gateway several times as long as the
     * flood.
     */
    private static final int HELLOS = 4_000;

    private static final int SLOW_HELLOS = 60_000;

    /** On a machine that does nothing else. */
    private static final Duration MAX_P99 = Duration.ofSeconds(2);

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void handshakesThatEndWithAReset(boolean http) throws Exception {
        flood(http, Heap.SMALL, HELLOS, FloodedGateway.maxStall());
    }

    @ParameterizedTest
    @CsvSource({"false, SMALL", "true, SMALL", "false, LAUNCHED", "true, LAUNCHED"})
    @Tag("slow")
    void manyHandshakesThatEndWithAReset(boolean http, Heap heap) throws Exception {
        flood(http, heap, SLOW_HELLOS, MAX_P99);
    }

    private static void flood(boolean http, Heap heap, int hellos, Duration maxP99) throws Exception {
        byte[] hello = TlsClients.hello("0303");
        TlsClients clients = TlsClients.trusting(FloodedGateway.CERTIFICATE);
        try (FloodedGateway gateway = FloodedGateway.withTls(heap)) {
            int port = http ? gateway.httpPort() : gateway.port();
            gateway.withstands("handshakes with a reset, " + (http ? "HTTP, " : "") + heap, () -> {
                List<Long> alone = new ArrayList<>();
                for (int i = 0; i < 21; i++) {
                    alone.add(honestHandshake(clients, gateway));
                }
                CompletableFuture<Void> flood = CompletableFuture.runAsync(() -> hellosAndResets(port, hello, hellos));
                List<Long> beside = new ArrayList<>();
                while (!flood.isDone()) {
                    beside.add(honestHandshake(clients, gateway));
                }
                flood.join();
                // If computations for disconnected clients are still running, this waits for them.
                beside.add(honestHandshake(clients, gateway));
                Collections.sort(alone);
                Collections.sort(beside);
                long median = alone.get(alone.size() / 2);
                long longest = beside.getLast();
                Duration p99 = Duration.ofNanos(beside.get(beside.size() * 99 / 100));
                // For the reader of the test's output.
                System.out.printf(
                        "honest handshakes: alone %d ms (median); beside the flood %d, p99 %d ms, longest %d ms%n",
                        median / 1_000_000, beside.size(), p99.toMillis(), longest / 1_000_000);
                assertThat(p99).isLessThan(maxP99);
                assertThat(longest / median).as("handshakes of the flood").isLessThan(hellos / 8);
            });
        }
    }

    private static void hellosAndResets(int port, byte[] hello, int count) {
        for (int i = 0; i < count; i++) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.setSoLinger(true, 0);
                OutputStream out = socket.getOutputStream();
                out.write(hello);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** The time of a handshake and a reply, from another address. */
    private static long honestHandshake(TlsClients clients, FloodedGateway gateway) throws IOException {
        long begun = System.nanoTime();
        try (Socket socket = FloodedGateway.elsewhere(gateway.port());
                LineClient honest = clients.over(socket, "TLSv1.3")) {
            assertThat(honest.ping()).isEqualTo("ok");
        }
        return System.nanoTime() - begun;
    }
}
