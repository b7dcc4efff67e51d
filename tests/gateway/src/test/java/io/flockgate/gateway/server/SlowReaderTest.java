package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that send requests and do not read the answers. */
@Execution(ExecutionMode.CONCURRENT)
class SlowReaderTest {
    private static final int KEYS = 300;

    @ParameterizedTest
    @ValueSource(strings = {"ping", "stats"})
    void aClientThatDoesNotReadIsClosedByTheWriteTimeout(String command) throws Exception {
        try (TestGateway gateway = TestGateway.start("--write-timeout=1");
                LineClient looker = gateway.client();
                Pusher pusher = new Pusher(gateway.port(), command)) {
            holdMany(looker);
            pusher.start();
            looker.awaitStats("\"connections\":2,");
            looker.awaitStats("\"connections\":1,");
            pusher.awaitEnd();
        }
    }

    @Test
    @DisplayName("WriteTimeout: a write deadline does not disturb normal traffic")
    void theWriteTimeoutDoesNotDisturbThoseWhoRead() throws Exception {
        try (TestGateway gateway = TestGateway.start("--write-timeout=1");
                LineClient client = gateway.client()) {
            holdMany(client);
            for (int i = 0; i < 2; i++) {
                try (Pusher closed = new Pusher(gateway.port(), "ping")) {
                    closed.start();
                    client.awaitStats("\"connections\":2,");
                    // Keeps reading long answers until the client that does not read has passed its
                    // deadline.
                    client.awaitStats("\"connections\":1,");
                    assertThat(client.ping()).isEqualTo("ok");
                }
            }
        }
    }

    @Test
    void aClientThatReadsLateGetsEveryReply() throws Exception {
        int pings = 300_000;
        try (TestGateway gateway = TestGateway.start("--write-timeout=0");
                LineClient client = gateway.client()) {
            Thread sender = Thread.ofVirtual().start(() -> send(client, LineClient.frame("ping", "_", "_"), pings));
            boolean unused = sender.join(Duration.ofMillis(300));
            for (int i = 0; i < pings; i++) {
                assertThat(client.line()).isEqualTo("ok");
            }
            sender.join();
            assertThat(client.ask("l", "job", "0")).startsWith("ok ");
        }
    }

    @Test
    void aClientThatIsReadNoMoreAndReadsThenIsServedOn() throws Exception {
        try (TestGateway gateway = TestGateway.start("--write-timeout=0");
                Pusher pusher = new Pusher(gateway.port(), "ping")) {
            pusher.start();
            awaitStandstill(List.of(pusher));
            pusher.readRepliesUntilMoreIsSent(2_000_000);
        }
    }

    private static void send(LineClient client, String frame, int count) {
        try {
            for (int i = 0; i < count; i += 100) {
                client.send(frame.repeat(100));
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Tag("process")
    @ParameterizedTest
    @ValueSource(strings = {"ping", "stats"})
    void memoryIsBoundedHoweverMuchIsAskedAndNotRead(String command) throws Exception {
        try (GatewayProcess server = GatewayLauncher.ofJar("--write-timeout=0", "--event-loops=2")
                        .javaOptions("-Xmx64m")
                        .start();
                LineClient looker = server.client()) {
            holdMany(looker);
            List<Pusher> pushers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                Pusher pusher = new Pusher(server.port(), command);
                pushers.add(pusher);
                pusher.start();
            }
            // The server must stop reading long before its heap of 64 MB is full of answers,
            // without an error in the log.
            awaitStandstill(pushers);
            assertThat(looker.ping()).isEqualTo("ok");
            for (Pusher pusher : pushers) {
                pusher.close();
            }
            looker.awaitStats("\"connections\":1,");
            server.signal("TERM");
            assertThat(looker.pingUntilRefused()).isEqualTo("error_draining");
            assertThat(server.exitStatus()).isZero();
            assertThat(server.err()).doesNotContain("ERROR", "OutOfMemory");
        }
    }

    /** Makes the statistics about 30 kB long. */
    private static void holdMany(LineClient client) throws IOException {
        for (int i = 0; i < KEYS; i++) {
            client.lock("a-key-that-makes-the-statistics-long-" + i);
        }
    }

    /** Waits until nothing could be sent for a while, which no event reports. */
    private static void awaitStandstill(List<Pusher> pushers) throws InterruptedException {
        long before = -1;
        for (int i = 0; i < 200 && before != sent(pushers); i++) {
            before = sent(pushers);
            Thread.sleep(300);
        }
        assertThat(sent(pushers)).isEqualTo(before);
        assertThat(pushers).allMatch(pusher -> pusher.thread.isAlive());
    }

    private static long sent(List<Pusher> pushers) {
        return pushers.stream().mapToLong(pusher -> pusher.sent.get()).sum();
    }

    /** Keeps sending requests and reads nothing. */
    private static final class Pusher implements AutoCloseable {
        private final Socket socket = new Socket();
        private final byte[] requests;
        private final AtomicLong sent = new AtomicLong();
        private final Thread thread = Thread.ofVirtual().unstarted(this::push);

        Pusher(int port, String command) throws IOException {
            socket.setReceiveBufferSize(4096);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            requests = LineClient.frame(command, "", "").repeat(1000).getBytes(StandardCharsets.US_ASCII);
        }

        void start() {
            thread.start();
        }

        private void push() {
            try {
                while (true) {
                    socket.getOutputStream().write(requests);
                    sent.addAndGet(requests.length);
                }
            } catch (IOException expected) {
                sent.addAndGet(-1);
            }
        }

        void awaitEnd() throws InterruptedException {
            assertThat(thread.join(LineClient.PATIENCE)).isTrue();
        }

        /**
         * Reads replies, each of them {@code ok}, until this number of further bytes could be sent.
         */
        void readRepliesUntilMoreIsSent(long bytes) throws IOException {
            long until = sent.get() + bytes;
            socket.setSoTimeout((int) LineClient.PATIENCE.toMillis());
            InputStream in = new BufferedInputStream(socket.getInputStream(), 65_536);
            while (sent.get() < until) {
                assertThat(in.readNBytes(3)).asString(StandardCharsets.US_ASCII).isEqualTo("ok\n");
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
