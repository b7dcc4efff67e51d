package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import io.netty.channel.epoll.EpollSocketChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How the kernel detects that the client of an accepted socket has vanished. */
@Execution(ExecutionMode.CONCURRENT)
class KeepAliveTest {
    private static final String KEEP_ALIVE = "02";

    /** In hundredths of a second. */
    private static final long IDLE_TIME = 2_000;

    @Test
    void theKernelProbesAnIdleClientOfEitherPort() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp();
                LineClient line = gateway.client();
                LineClient http = LineClient.connect(gateway.httpPort())) {
            assertThat(line.ping()).isEqualTo("ok");
            http.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(http.line()).startsWith("HTTP/1.1 200");
            for (LineClient client : List.of(line, http)) {
                // Until the client has acknowledged the answer, another timer runs.
                String[] timer = Polling.until(() -> timer(client), found -> found[0].equals(KEEP_ALIVE));
                assertThat(Long.parseLong(timer[1], 16)).isLessThanOrEqualTo(IDLE_TIME);
            }
        }
    }

    /**
     * While a reply is under way, the kernel does not probe. In milliseconds; the line protocol
     * itself ends a client that reads nothing, but not one that has vanished.
     */
    @ParameterizedTest
    @CsvSource({"5, 40000, 5000", "60, 60000, 60000", "0, 0, 0"})
    void theKernelEndsAClientOfEitherPortThatAcknowledgesNoReply(int writeTimeout, int ofLine, int ofHttp)
            throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--write-timeout=" + writeTimeout);
                LineClient line = gateway.client();
                LineClient http = LineClient.connect(gateway.httpPort())) {
            assertThat(line.ping()).isEqualTo("ok");
            http.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(http.line()).startsWith("HTTP/1.1 200");
            assertThat(userTimeout(line)).isEqualTo(ofLine);
            assertThat(userTimeout(http)).isEqualTo(ofHttp);
        }
    }

    /** {@code TCP_USER_TIMEOUT} of the gateway's socket, which is one of this process. */
    private static int userTimeout(LineClient client) throws IOException {
        String socket = "socket:[" + kernel(client)[9] + "]";
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            Path file = files.filter(each -> target(each).equals(socket))
                    .findFirst()
                    .orElseThrow();
            int descriptor = Integer.parseInt(file.toString().replaceAll("\\D", ""));
            return new EpollSocketChannel(descriptor).config().getTcpUserTimeout();
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

    /** The kind of timer of the gateway's socket, and the time until it fires. */
    private static String[] timer(LineClient client) throws IOException {
        return kernel(client)[5].split(":");
    }

    /** What the kernel lists of the gateway's socket. */
    private static String[] kernel(LineClient client) throws IOException {
        String gateway = port(client.socket().getPort());
        String peer = port(client.socket().getLocalPort());
        try (Stream<String> v4 = Files.lines(Path.of("/proc/net/tcp"));
                Stream<String> v6 = Files.lines(Path.of("/proc/net/tcp6"))) {
            return Stream.concat(v4, v6)
                    .map(line -> line.strip().split("\\s+"))
                    .filter(fields -> fields[1].endsWith(gateway) && fields[2].endsWith(peer))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static String port(int number) {
        return String.format(":%04X", number);
    }
}
