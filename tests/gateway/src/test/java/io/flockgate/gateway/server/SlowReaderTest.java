package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Clients that send requests and do not read the answers. */
@Execution(ExecutionMode.CONCURRENT)
class SlowReaderTest {
    private static final int KEYS = 300;

    @Test
    void aClientThatDoesNotReadIsClosedByTheWriteTimeout() throws Exception {
        try (TestGateway gateway = TestGateway.start("--write-timeout=1");
                LineClient looker = gateway.client();
                Pusher pusher = new Pusher(gateway.port(), "stats")) {
            holdMany(looker);
            pusher.start();
            looker.awaitStats("\"connections\":2,");
            // Keeps reading long answers until the other client has passed its deadline.
            looker.awaitStats("\"connections\":1,");
            pusher.awaitEnd();
            assertThat(looker.ping()).isEqualTo("ok");
        }
    }

    @Test
    void aClientThatIsReadNoMoreAndReadsThenIsServedOn() throws Exception {
        try (TestGateway gateway = TestGateway.start("--write-timeout=0");
                Pusher pusher = new Pusher(gateway.port(), "ping")) {
            pusher.start();
            awaitStandstill(pusher);
            pusher.readRepliesUntilMoreIsSent(2_000_000);
        }
    }

    /** Makes the statistics about 30 kB long. */
    private static void holdMany(LineClient client) throws IOException {
        for (int i = 0; i < KEYS; i++) {
            client.lock("a-key-that-makes-the-statistics-long-" + i);
        }
    }

    /** Waits until nothing could be sent for a while, which no event reports. */
    private static void awaitStandstill(Pusher pusher) throws InterruptedException {
        long before = -1;
        for (int i = 0; i < 200 && before != pusher.sent.get(); i++) {
            before = pusher.sent.get();
            Thread.sleep(300);
        }
        assertThat(pusher.sent).hasValue(before);
        assertThat(pusher.thread.isAlive()).isTrue();
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
