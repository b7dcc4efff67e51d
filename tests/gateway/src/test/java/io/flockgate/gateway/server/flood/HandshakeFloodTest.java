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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A client without a token that begins a TLS handshake, resets the connection, and begins the next.
 * Each handshake costs the gateway more than the client.
 */
@Tag("flood")
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

    enum Port {
        LINE,
        HTTP;

        private int of(FloodedGateway gateway) {
            return this == LINE ? gateway.port() : gateway.httpPort();
        }
    }

    @ParameterizedTest
    @EnumSource
    void handshakesThatEndWithAReset(Port port) throws Exception {
        flood(port, Heap.SMALL, HELLOS, FloodedGateway.maxStall());
    }

    @ParameterizedTest
    @CsvSource({"LINE, SMALL", "HTTP, SMALL", "LINE, LAUNCHED", "HTTP, LAUNCHED"})
    @Tag("slow")
    void manyHandshakesThatEndWithAReset(Port port, Heap heap) throws Exception {
        flood(port, heap, SLOW_HELLOS, MAX_P99);
    }

    private static void flood(Port port, Heap heap, int hellos, Duration maxP99) throws Exception {
        byte[] hello = TlsClients.hello("0303");
        TlsClients clients = TlsClients.trusting(FloodedGateway.CERTIFICATE);
        try (FloodedGateway gateway = FloodedGateway.withTls(heap)) {
            gateway.withstands("handshakes with a reset, " + port + ", " + heap, () -> {
                List<Long> alone = new ArrayList<>();
                for (int i = 0; i < 21; i++) {
                    alone.add(honestHandshake(clients, gateway));
                }
                CompletableFuture<Void> flood =
                        CompletableFuture.runAsync(() -> hellosAndResets(port.of(gateway), hello, hellos));
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
        try {
            for (int i = 0; i < count; i++) {
                helloAndReset(port, hello);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void helloAndReset(int port, byte[] hello) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoLinger(true, 0);
            OutputStream out = socket.getOutputStream();
            out.write(hello);
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
