package io.flockgate.gateway.server.flood;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
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
        handshakesThatEndWithAReset(port, HELLOS);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("slow")
    void manyHandshakesThatEndWithAReset(Port port) throws Exception {
        handshakesThatEndWithAReset(port, SLOW_HELLOS);
    }

    private static void handshakesThatEndWithAReset(Port port, int hellos) throws Exception {
        byte[] hello = Hellos.clientHello();
        try (FloodedGateway gateway = FloodedGateway.withTls()) {
            gateway.withstands("handshakes with a reset, " + port, () -> {
                long alone = handshakeAlone(gateway);
                CompletableFuture<Void> flood =
                        CompletableFuture.runAsync(() -> hellosAndResets(port.of(gateway), hello, hellos));
                long longest = 0;
                while (!flood.isDone()) {
                    longest = Math.max(longest, honestHandshake(gateway));
                }
                flood.join();
                // If computations for disconnected clients are still running, this waits for them.
                longest = Math.max(longest, honestHandshake(gateway));
                System.out.printf(
                        "honest handshakes from the same address: alone %d ms, longest %d ms%n",
                        alone / 1_000_000, longest / 1_000_000);
                assertThat(Duration.ofNanos(longest)).isLessThan(FloodedGateway.maxStall());
                assertThat(longest / alone).as("handshakes of the flood").isLessThan(hellos / 8);
            });
        }
    }

    /** The median of a few, which is longer on a busy machine. */
    private static long handshakeAlone(FloodedGateway gateway) throws IOException {
        long[] nanos = new long[21];
        for (int i = 0; i < nanos.length; i++) {
            nanos[i] = honestHandshake(gateway);
        }
        Arrays.sort(nanos);
        return nanos[nanos.length / 2];
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

    private static long honestHandshake(FloodedGateway gateway) throws IOException {
        long begun = System.nanoTime();
        try (LineClient honest = gateway.client()) {
            assertThat(honest.ping()).isEqualTo("ok");
        }
        return System.nanoTime() - begun;
    }
}
