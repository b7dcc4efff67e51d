package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.net.ServiceManager;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.Polling;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.DomainDatagramSocketAddress;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the gateway reports to systemd, the service manager that has started it. */
class ServiceNoticesTest {
    @TempDir
    Path directory;

    private Socket socket;
    private final List<String> received = new ArrayList<>();

    @BeforeEach
    void open() {
        Epoll.ensureAvailability();
        socket = Socket.newSocketDomainDgram();
    }

    @AfterEach
    void close() throws IOException {
        socket.close();
    }

    private List<String> received() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(1024);
        try {
            DomainDatagramSocketAddress sender = socket.recvFromDomainSocket(buffer, 0, buffer.capacity());
            while (sender != null) {
                byte[] bytes = new byte[sender.receivedAmount()];
                buffer.get(0, bytes);
                received.add(new String(bytes, StandardCharsets.UTF_8));
                sender = socket.recvFromDomainSocket(buffer, 0, buffer.capacity());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return received;
    }

    @Tag("process")
    @Test
    void itTellsThatItServesThatItLivesAndThatItStops() throws Exception {
        Path path = directory.resolve("notify");
        socket.bind(new DomainSocketAddress(path.toString()));
        try (GatewayProcess gateway = GatewayLauncher.ofJar()
                .environment("NOTIFY_SOCKET", path.toString())
                .environment("WATCHDOG_USEC", "2000000")
                .start()) {
            Polling.until("a sign of life", () -> received().contains("WATCHDOG=1"));
            assertThat(received.getFirst()).isEqualTo("READY=1");
            assertThat(gateway.stop()).isZero();
            assertThat(received().getLast()).isEqualTo("STOPPING=1");
            assertThat(gateway.err()).doesNotContain("cannot notify the service manager");
        }
    }

    private static void signal(String socket, Map<String, String> variables) {
        Map<String, String> environment = new HashMap<>(variables);
        environment.put("NOTIFY_SOCKET", socket);
        ServiceManager.of(environment, 7).alive();
    }

    @Test
    void aSignOfLifeIsSentOnlyIfTheManagerWantsItOfThisProcess() throws Exception {
        String name = "flockgate-" + directory.getFileName();
        socket.bind(new DomainSocketAddress("\0" + name));
        signal("@" + name, Map.of());
        signal("@" + name, Map.of("WATCHDOG_USEC", "2000000", "WATCHDOG_PID", "8"));
        signal("", Map.of("WATCHDOG_USEC", "2000000"));
        assertThat(received()).isEmpty();
        signal("@" + name, Map.of("WATCHDOG_USEC", "2000000", "WATCHDOG_PID", "7"));
        assertThat(received()).containsExactly("WATCHDOG=1");
    }

    @Test
    void aGatewayThatStopsIsNotReadyAnyMore() throws Exception {
        Path path = directory.resolve("notify");
        socket.bind(new DomainSocketAddress(path.toString()));
        ServiceManager manager = ServiceManager.of(Map.of("NOTIFY_SOCKET", path.toString()), 7);
        manager.stopping();
        manager.ready();
        assertThat(received()).containsExactly("STOPPING=1");
    }

    @Tag("process")
    @Test
    void aSocketThatHasGoneIsLoggedAndTheGatewayServes() throws Exception {
        try (GatewayProcess gateway = GatewayLauncher.ofJar()
                .environment("NOTIFY_SOCKET", directory.resolve("none").toString())
                .start()) {
            gateway.awaitLog("level=WARN msg=\"cannot notify the service manager\" notice=\"READY=1\" err=\\S");
            gateway.client().close();
            assertThat(gateway.stop()).isZero();
        }
    }
}
