package io.flockgate.gateway.tcp;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import org.junit.jupiter.api.Test;

class SharedLoopTest {
    /**
     * The replies of a turn are gathered for one connection, but a grant made in that turn belongs
     * to another.
     */
    @Test
    void eachClientOfALoopGetsItsOwnReplies() throws IOException {
        try (TestGateway gateway = TestGateway.start("--event-loops=1");
                Peer holder = new Peer(gateway.port());
                Peer waiter = new Peer(gateway.port())) {
            holder.send("l\nkey\n0\n");
            String token = holder.line().substring(3, 35);
            waiter.send("e\nkey\n\nping\n_\n_\nw\nkey\n20\n");
            assertThat(waiter.line()).isEqualTo("queued");
            assertThat(waiter.line()).isEqualTo("ok");
            holder.send("n\nkey\n" + token + " 60\nr\nkey\n" + token + "\nw\nkey\n0\n");
            assertThat(holder.line()).isEqualTo("ok 60");
            assertThat(holder.line()).isEqualTo("ok");
            assertThat(holder.line()).isEqualTo("error_not_enqueued");
            assertThat(waiter.line()).matches("ok [0-9a-f]{32} 33");
        }
    }

    private static final class Peer implements AutoCloseable {
        private final Socket socket;
        private final BufferedReader replies;

        Peer(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setSoTimeout(30_000);
            replies = new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
        }

        void send(String requests) throws IOException {
            socket.getOutputStream().write(requests.getBytes(US_ASCII));
        }

        String line() throws IOException {
            return String.valueOf(replies.readLine());
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
