package io.flockgate.testsupport;

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
class FaultyLinkTest {
    private final ServerSocket server = listening();
    private final FaultyLink link = FaultyLink.to(server.getLocalPort());

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
        server.close();
    }

    private Socket connect() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), link.port());
    }

    private static void assertCarries(Socket from, Socket to) throws IOException {
        from.getOutputStream().write('x');
        assertThat(to.getInputStream().read()).isEqualTo('x');
    }

    @Test
    void aLinkThatRefusesTakesNoConnectionsUntilItIsMendedAtTheSameAddress() throws IOException {
        URI before = link.uri("http");
        try (Socket client = connect();
                Socket at = server.accept()) {
            link.refuse();
            assertThat(at.getInputStream().read()).isEqualTo(-1);
            assertThat(client.getInputStream().read()).isEqualTo(-1);
            assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
        }
        link.mend();
        assertThat(link.uri("http")).isEqualTo(before);
        try (Socket client = connect();
                Socket at = server.accept()) {
            assertCarries(client, at);
        }
    }

    /**
     * A cut between the opening of the two sockets of a connection would leave one of them open.
     */
    @Test
    void noCutLeavesAConnectionHalfOpen() throws Exception {
        // More than the server's backlog accepts: some are cut while they connect.
        for (int i = 0; i < 100; i++) {
            try (Socket client = connect()) {
                while (link.accepted() == i) {
                    Thread.onSpinWait();
                }
                link.sever();
                assertThat(client.getInputStream().read()).isEqualTo(-1);
                link.mend();
            }
        }
        Polling.until("the end", () -> link.open() == 0);
    }

    @Test
    void aHushedConnectionCarriesNothingAndANewOneDoes() throws IOException {
        try (Socket client = connect();
                Socket at = server.accept()) {
            assertCarries(client, at);
            link.hush();
            client.getOutputStream().write('y');
            client.shutdownOutput();
            try (Socket next = connect();
                    Socket atNext = server.accept()) {
                assertCarries(next, atNext);
                assertCarries(atNext, next);
                assertThat(at.getInputStream().available()).isZero();
                link.cut();
                assertThat(at.getInputStream().read()).isEqualTo(-1);
            }
        }
    }

    @Test
    void aBlackHoleTakesConnectionsAndCarriesNothing() throws IOException {
        link.blackHole();
        try (Socket client = connect();
                Socket at = server.accept()) {
            client.getOutputStream().write('x');
            link.cut();
            assertThat(at.getInputStream().read()).isEqualTo(-1);
        }
    }
}
