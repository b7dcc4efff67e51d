package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.http.RawHttp;
import io.flockgate.testsupport.LineClient;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.epoll.EpollSocketChannelConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How the kernel detects that the client of an accepted socket has vanished. */
@Execution(ExecutionMode.CONCURRENT)
class KeepAliveTest {
    private static final String PING = LineClient.frame("ping", "_", "_");

    /**
     * The kernel probes an idle client, but not while a reply is under way. In milliseconds; the
     * line protocol itself ends a client that reads nothing, but not one that has vanished.
     */
    @ParameterizedTest
    @CsvSource({"5, 40000, 5000", "60, 60000, 60000", "0, 0, 0"})
    void theKernelEndsAClientOfEitherPortThatAcknowledgesNothing(int writeTimeout, int ofLine, int ofHttp)
            throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--write-timeout=" + writeTimeout);
                LineClient line = gateway.client();
                LineClient http = LineClient.connect(gateway.httpPort())) {
            expectProbes(socketOf(line, PING), ofLine);
            expectProbes(socketOf(http, RawHttp.GET), ofHttp);
        }
    }

    private static void expectProbes(EpollSocketChannelConfig socket, int userTimeout) {
        assertThat(socket.isKeepAlive()).isTrue();
        assertThat(socket.getTcpKeepIdle() + socket.getTcpKeepCnt() * socket.getTcpKeepIntvl())
                .isEqualTo(40);
        assertThat(socket.getTcpUserTimeout()).isEqualTo(userTimeout);
    }

    /** The options of the gateway's socket, which is one of this process, once it is served. */
    private static EpollSocketChannelConfig socketOf(LineClient client, String request) throws IOException {
        client.send(request);
        assertThat(client.line()).isNotEmpty();
        String gateway = port(client.socket().getPort());
        String peer = port(client.socket().getLocalPort());
        try (Stream<String> v4 = Files.lines(Path.of("/proc/net/tcp"));
                Stream<String> v6 = Files.lines(Path.of("/proc/net/tcp6"));
                Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            String inode = Stream.concat(v4, v6)
                    .map(line -> line.strip().split("\\s+"))
                    .filter(fields -> fields[1].endsWith(gateway) && fields[2].endsWith(peer))
                    .findFirst()
                    .orElseThrow()[9];
            Path file = files.filter(each -> target(each).equals("socket:[" + inode + "]"))
                    .findFirst()
                    .orElseThrow();
            return new EpollSocketChannel(Integer.parseInt(file.getFileName().toString())).config();
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            // Closed since it was listed.
            return "";
        }
    }

    private static String port(int number) {
        return String.format(":%04X", number);
    }
}
