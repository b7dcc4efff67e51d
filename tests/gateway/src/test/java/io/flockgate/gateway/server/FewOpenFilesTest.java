package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * More connections to both ports than the process may have open files, which are fewer than the
 * caps.
 */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class FewOpenFilesTest {
    private static final int OPEN_FILES = 700;

    /** More than the first pool of salts, after which Java loads further classes from files. */
    private static final int LOCKS = 200;

    private static GatewayLauncher withFewOpenFiles() {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return GatewayLauncher.of(List.of(
                "/bin/sh",
                "-c",
                "ulimit -n " + OPEN_FILES + " && exec \"$@\"",
                "sh",
                java,
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-jar",
                GatewayLauncher.jar().toString()));
    }

    @Test
    void connectionsWithoutEnd() throws Exception {
        try (GatewayProcess gateway =
                        withFewOpenFiles().flags("--max-locks=1000").withHttp().start();
                LineClient before = gateway.client()) {
            gateway.awaitLog("too small for the caps on connections.* open_files=700 "
                    + "max_connections=175 http_max_connections=175");
            assertThat(before.ping()).isEqualTo("ok");
            List<Socket> sockets = new ArrayList<>();
            try {
                fill(gateway.port(), sockets);
                fill(gateway.httpPort(), sockets);
                for (int i = 0; i < LOCKS; i++) {
                    before.lock("k" + i);
                }
            } finally {
                for (Socket socket : sockets) {
                    socket.close();
                }
            }
            assertThat(gateway.awaitReady(200).status()).isEqualTo(200);
        }
    }

    private static void fill(int port, List<Socket> sockets) throws IOException {
        for (int i = 0; i < OPEN_FILES; i++) {
            sockets.add(new Socket(InetAddress.getLoopbackAddress(), port));
        }
    }
}
