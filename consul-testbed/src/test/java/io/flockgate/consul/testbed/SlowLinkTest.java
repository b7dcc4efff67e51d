package io.flockgate.consul.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class SlowLinkTest {
    private final ServerSocket agent = listening();
    private final SlowLink link = new SlowLink(URI.create("http://127.0.0.1:" + agent.getLocalPort()));

    private static ServerSocket listening() {
        try {
            return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void close() throws IOException {
        link.close();
        agent.close();
    }

    private Socket connect() throws IOException {
        return new Socket(link.address().getHost(), link.address().getPort());
    }

    private void assertCarries(Socket client) throws IOException {
        try (Socket server = agent.accept()) {
            client.getOutputStream().write('x');
            assertThat(server.getInputStream().read()).isEqualTo('x');
        }
    }

    @Test
    void a_link_that_refuses_ends_its_connections_and_takes_no_new_ones() throws IOException {
        try (Socket client = connect();
                Socket server = agent.accept()) {
            link.refuse();
            assertThat(server.getInputStream().read()).isEqualTo(-1);
            assertThat(client.getInputStream().read()).isEqualTo(-1);
            assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
        }
    }

    @Test
    void a_mended_link_carries_at_the_same_address() throws IOException {
        URI before = link.address();
        link.refuse();
        link.mend();
        assertThat(link.address()).isEqualTo(before);
        try (Socket client = connect()) {
            assertCarries(client);
        }
    }
}
