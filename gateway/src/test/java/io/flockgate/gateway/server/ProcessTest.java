package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Execution(ExecutionMode.CONCURRENT)
class ProcessTest {
    private static final String SECRET = "s3cret-that-nobody-may-see";

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT"})
    void aSignalEndsItWithStatusZeroAndNoStackTrace(String signal) throws Exception {
        try (ServerProcess server = ServerProcess.start();
                Client client = server.client()) {
            assertThat(client.ping()).isEqualTo("ok");
            client.close();
            server.signal(signal);
            assertThat(server.status()).isZero();
            assertThat(server.out()).isEmpty();
            assertThat(server.err())
                    .matches("time=\\S+ level=INFO msg=listening addr=127\\.0\\.0\\.1:\\d+\n"
                            + "time=\\S+ level=INFO msg=\"shutting down, draining connections\"\n");
        }
    }

    @Test
    void aSignalRightAfterTheListeningLineCountsAlready() throws Exception {
        try (ServerProcess server = ServerProcess.start()) {
            server.signal("TERM");
            assertThat(server.status()).isZero();
        }
    }

    @Test
    void aSecondSignalDoesNothing() throws Exception {
        try (ServerProcess server = ServerProcess.start();
                Client client = server.client()) {
            assertThat(client.ping()).isEqualTo("ok");
            server.signal("TERM");
            server.awaitLog("draining connections");
            server.signal("TERM");
            server.signal("INT");
            assertThat(client.pingUntilRefused()).isEqualTo("error_draining");
            assertThat(client.rest()).isEmpty();
            assertThat(server.status()).isZero();
            assertThat(server.err()).containsOnlyOnce("draining connections").doesNotContain("\tat ");
        }
    }

    @Test
    void helpGoesToStandardOutputWithStatusZero() throws Exception {
        try (ServerProcess server = ServerProcess.launch("--help")) {
            assertThat(server.status()).isZero();
            assertThat(server.out()).contains("--port").contains("--storage");
            assertThat(server.err()).isEmpty();
        }
    }

    @Test
    void theVersionIsAllThatIsPrinted() throws Exception {
        try (ServerProcess server = ServerProcess.launch("--version")) {
            assertThat(server.status()).isZero();
            assertThat(server.out()).matches("\\S+\n");
            assertThat(server.err()).isEmpty();
        }
    }

    @Test
    void aConfigurationErrorIsOneLineAndStatusOne() throws Exception {
        try (ServerProcess server = ServerProcess.launch("--max-locks=0")) {
            assertThat(server.status()).isEqualTo(1);
            assertThat(server.out()).isEmpty();
            assertThat(server.err())
                    .startsWith("configuration error: --max-locks must be > 0")
                    .hasLineCount(1);
        }
    }

    @Test
    void anUnknownStorageIsAConfigurationError() throws Exception {
        try (ServerProcess server = ServerProcess.launch("--port=0", "--storage=stone")) {
            assertThat(server.status()).isEqualTo(1);
            assertThat(server.err())
                    .startsWith("configuration error: ")
                    .contains("stone")
                    .contains("memory")
                    .hasLineCount(1);
        }
    }

    @Test
    void aPortInUseIsAServerErrorAndStatusOne() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerProcess server = ServerProcess.launch("--port=" + taken.getLocalPort())) {
            assertThat(server.status()).isEqualTo(1);
            assertThat(server.err())
                    .matches("time=\\S+ level=ERROR msg=\"server error\" err=.*(?i:address already in use).*\n")
                    .contains(String.valueOf(taken.getLocalPort()));
        }
    }

    @Test
    @DisplayName("★26 FenceFile_StrictRestartMonotonic, on processes that are killed")
    void fencesRiseOverAKilledProcess(@TempDir Path directory) throws Exception {
        String flag = "--fence-state-file=" + directory.resolve("fence");
        String last = "";
        for (int i = 0; i < 3; i++) {
            try (ServerProcess server = ServerProcess.start(flag);
                    Client client = server.client()) {
                String token = client.lock("job");
                assertThat(token.substring(0, 16)).isGreaterThan(last);
                last = client.lock("other").substring(0, 16);
                assertThat(last).isGreaterThan(token.substring(0, 16));
                server.signal("KILL");
                assertThat(server.status()).isNotZero();
            }
        }
    }

    @Test
    void aFenceFileInUseStopsASecondServerAndIsFreeOnceTheFirstHasEnded(@TempDir Path directory) throws Exception {
        String flag = "--fence-state-file=" + directory.resolve("fence");
        try (ServerProcess first = ServerProcess.start(flag)) {
            try (ServerProcess second = ServerProcess.launch("--port=0", flag)) {
                assertThat(second.status()).isEqualTo(1);
                assertThat(second.err())
                        .startsWith("lock manager init failed: ")
                        .hasLineCount(1)
                        .doesNotContain("null");
            }
            first.signal("TERM");
            assertThat(first.status()).isZero();
            try (ServerProcess third = ServerProcess.start(flag)) {
                assertThat(third.isAlive()).isTrue();
            }
        }
    }

    @Test
    void warnsOfLimitsThatAreNotSetWhenOthersCanReachIt() throws Exception {
        try (ServerProcess server = ServerProcess.start("--host=0.0.0.0", "--max-waiters=7")) {
            server.signal("TERM");
            assertThat(server.status()).isZero();
            assertThat(server.err())
                    .containsPattern("level=WARN msg=\"running without one or more resource limits set; not recommended"
                            + " when reachable by untrusted clients\""
                            + " unset=\"--max-connections --max-connections-per-ip\"\n");
        }
    }

    @Test
    void aTokenIsNeverLogged() throws Exception {
        try (ServerProcess server = ServerProcess.start("--debug", "--auth-token=" + SECRET)) {
            String granted = talk(server);
            server.signal("TERM");
            assertThat(server.status()).isZero();
            assertThat(server.err())
                    .contains("msg=\"auth failed\"", "msg=\"client connected\"", "msg=\"client closed\"")
                    .contains("msg=\"protocol error\"")
                    .doesNotContain(SECRET, "almost-the-secret", granted, granted.substring(16));
        }
    }

    /** One of everything that knows a token, right and wrong; the token of a grant. */
    private static String talk(ServerProcess server) throws IOException, InterruptedException {
        try (Client stranger = server.client();
                Client other = server.client();
                Client client = server.client()) {
            assertThat(stranger.ask("auth", "_", "almost-the-secret")).isEqualTo("error_auth");
            assertThat(stranger.rest()).isEmpty();
            other.send(SECRET.repeat(20) + "\n");
            assertThat(other.rest()).isEqualTo("error_auth\n");
            assertThat(client.ask("auth", "_", SECRET)).isEqualTo("ok");
            String token = client.lock("job");
            assertThat(client.ask("n", "job", token + " x")).isEqualTo("error");
            assertThat(client.ask("n", "job", token + " 9")).isEqualTo("ok 9");
            assertThat(client.ask("r", "job", token + "0")).isEqualTo("error");
            assertThat(client.ask(token, "job", token)).isEqualTo("error");
            client.release("job", token);
            return token;
        }
    }
}
