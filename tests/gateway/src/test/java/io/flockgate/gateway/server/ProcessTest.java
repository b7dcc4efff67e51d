package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.HttpCall;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class ProcessTest {
    private static final String SECRET = "s3cret-that-nobody-may-see";

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT"})
    void aSignalEndsItWithStatusZeroAndNoStackTrace(String signal) throws Exception {
        try (GatewayProcess server =
                GatewayLauncher.ofJar().javaOptions("-Xmx1g").start()) {
            server.signal(signal);
            assertThat(server.exitStatus()).isZero();
            assertThat(server.out()).isEmpty();
            assertThat(server.err())
                    .matches("time=\\S+ level=INFO msg=listening addr=127\\.0\\.0\\.1:\\d+\n"
                            + "time=\\S+ level=INFO msg=started version=\\d\\S+ storage=memory node=\\S+"
                            + " addr=127\\.0\\.0\\.1:\\d+ http=off tls=off auth=none"
                            + " hint=\"--http-port 6389 serves REST and the page\"\n"
                            + "time=\\S+ level=INFO msg=\"shutting down, draining connections\"\n"
                            + "time=\\S+ level=INFO msg=stopped uptime_s=\\d+\n");
        }
    }

    @Test
    void aServerWithoutTokensLoadsNoClassOfRightsTheCommandsOrTheClient(@TempDir Path directory) throws Exception {
        Path loaded = directory.resolve("loaded");
        try (GatewayProcess server = GatewayLauncher.ofJar()
                .javaOptions("-Xlog:class+load:" + loaded)
                .withHttp()
                .start()) {
            var unused = server.awaitReady(200);
            try (LineClient client = server.client()) {
                assertThat(client.ask("l", "key", "0 9")).startsWith("ok ");
                assertThat(client.ask("stats", "_", "_")).startsWith("ok ");
            }
            HttpCall.ask(server.http(), "POST", "/v1/sessions", "");
            for (String path :
                    List.of("stats", "keys", "keys?sort=longest_hold", "keys/key", "deadlocks", "gateways")) {
                HttpCall.ask(server.http(), "GET", "/v1/" + path, "");
            }
            assertThat(server.stop()).isZero();
        }
        List<String> ours = Files.readAllLines(loaded).stream()
                .filter(line -> line.contains(" io.flockgate."))
                .toList();
        assertThat(ours).anyMatch(line -> line.contains(" io.flockgate.gateway.Main "));
        assertThat(ours.stream()
                        .filter(line -> line.matches(
                                ".* io\\.flockgate\\.(gateway\\.rights|cli\\.(keys|run|health)|client)\\..*")))
                .isEmpty();
    }

    @Test
    void aSignalRightAfterTheListeningLineCountsAlready() throws Exception {
        try (GatewayProcess server = GatewayLauncher.ofJar().start()) {
            assertThat(server.stop()).isZero();
        }
    }

    @Test
    void helpGoesToStandardOutputWithStatusZero() throws Exception {
        try (GatewayProcess server = GatewayLauncher.ofJar("--help").launch()) {
            assertThat(server.exitStatus()).isZero();
            assertThat(server.out()).contains("  run ", "flockgate serve --help");
            assertThat(server.err()).isEmpty();
        }
    }

    @Test
    void theVersionIsAllThatIsPrinted() throws Exception {
        try (GatewayProcess server = GatewayLauncher.ofJar("--version").launch()) {
            assertThat(server.exitStatus()).isZero();
            assertThat(server.out()).matches("\\S+\n");
            assertThat(server.err()).isEmpty();
        }
    }

    @Test
    void aConfigurationErrorIsOneLineAndStatusOne() throws Exception {
        try (GatewayProcess server = GatewayLauncher.ofJar("--max-locks=0").launch()) {
            assertThat(server.exitStatus()).isEqualTo(1);
            assertThat(server.out()).isEmpty();
            assertThat(server.err())
                    .startsWith("configuration error: --max-locks must be > 0")
                    .hasLineCount(1);
        }
    }

    @Test
    void anUnknownSubCommandIsStatusTwoAsItsWrongOptionsAre() throws Exception {
        try (GatewayProcess command =
                GatewayLauncher.ofJar("rnu", "--key=deploy", "--", "true").launch()) {
            assertThat(command.exitStatus()).isEqualTo(2);
            assertThat(command.out()).isEmpty();
            assertThat(command.err()).isEqualTo("flockgate: unknown command \"rnu\": did you mean run? (see --help)\n");
        }
    }

    @Test
    void anUnknownStorageIsAConfigurationError() throws Exception {
        try (GatewayProcess server =
                GatewayLauncher.ofJar("--port=0", "--storage=stone").launch()) {
            assertThat(server.exitStatus()).isEqualTo(1);
            assertThat(server.err())
                    .startsWith("configuration error: ")
                    .contains("stone")
                    .contains("memory")
                    .hasLineCount(1);
        }
    }

    @Test
    void anUnexpectedErrorAtTheStartEndsTheProcess() throws Exception {
        try (GatewayProcess server = GatewayLauncher.ofJarAndTestClasses("--port=0", "--storage=broken")
                .launch()) {
            assertThat(server.exitStatus()).isEqualTo(1);
            assertThat(server.err())
                    .startsWith("time=")
                    .contains("level=ERROR msg=\"server error\"", "a/class/that/is/missing");
        }
    }

    @Test
    void aPortInUseIsAServerErrorAndStatusOne() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                GatewayProcess server =
                        GatewayLauncher.ofJar("--port=" + taken.getLocalPort()).launch()) {
            assertThat(server.exitStatus()).isEqualTo(1);
            assertThat(server.err())
                    .matches("time=\\S+ level=ERROR msg=\"server error\" err=.*(?i:address already in use).*\n")
                    .contains(String.valueOf(taken.getLocalPort()));
        }
    }

    @Test
    @DisplayName("★26 FenceFile_StrictRestartMonotonic, on processes that are killed")
    void fencesRiseOverAKilledProcess(@TempDir Path directory) throws Exception {
        String flag = "--fence-state-file=" + directory.resolve("fence");
        List<HeldGrant> grants = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            try (GatewayProcess server = GatewayLauncher.ofJar(flag).start();
                    LineClient client = server.client()) {
                grants.add(client.lock("job"));
                grants.add(client.lock("other"));
                server.signal("KILL");
                assertThat(server.exitStatus()).isNotZero();
            }
        }
        for (int i = 1; i < grants.size(); i++) {
            assertThat(grants.get(i).isAfter(grants.get(i - 1))).isTrue();
        }
    }

    @Test
    void aFenceFileServesOneServerAtATime(@TempDir Path directory) throws Exception {
        String flag = "--fence-state-file=" + directory.resolve("fence");
        try (GatewayProcess first = GatewayLauncher.ofJar(flag).start()) {
            try (GatewayProcess second = GatewayLauncher.ofJar("--port=0", flag).launch()) {
                assertThat(second.exitStatus()).isEqualTo(1);
                assertThat(second.err())
                        .startsWith("lock manager init failed: ")
                        .hasLineCount(1)
                        .doesNotContain("null");
            }
            assertThat(first.stop()).isZero();
            try (GatewayProcess third = GatewayLauncher.ofJar(flag).start()) {
                assertThat(third.isAlive()).isTrue();
            }
        }
    }

    @Test
    void warnsOfLimitsThatAreTakenAwayWhenOthersCanReachIt() throws Exception {
        try (GatewayProcess server = GatewayLauncher.ofJar("--host=0.0.0.0", "--max-waiters=0", "--max-connections=0")
                .start()) {
            assertThat(server.stop()).isZero();
            assertThat(server.err())
                    .containsPattern("level=WARN msg=\"running without one or more resource limits set; not recommended"
                            + " when reachable by untrusted clients\""
                            + " unset=\"--max-connections --max-waiters\"\n");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "--host=0.0.0.0, 'other hosts can reach this gateway, and it asks for no token: set --tokens-file or --auth-token-file',"
                + " ' reachable=--host'",
        "--auth-token=s3cret, 'the auth token has fewer than 16 characters, so that it can be guessed', ''",
    })
    void warnsOfStrangersWhoMayUseIt(String flag, String message, String attribute) throws Exception {
        try (GatewayProcess server = GatewayLauncher.ofJar(flag).start()) {
            assertThat(server.stop()).isZero();
            assertThat(server.err()).contains(" level=WARN msg=\"" + message + "\"" + attribute + "\n");
        }
    }

    @Test
    void warnsOfTooManyKeysAtMostOnceAMinute() throws Exception {
        try (GatewayProcess server = GatewayLauncher.ofJar("--max-locks=2").start()) {
            try (LineClient client = server.client()) {
                client.release(client.lock("idle"));
                client.lock("held");
                for (int i = 0; i < 3; i++) {
                    assertThat(client.ask("l", "another", "0")).isEqualTo("error_max_locks");
                }
            }
            assertThat(server.stop()).isZero();
            assertThat(server.err())
                    .containsOnlyOnce("a cap is reached")
                    .contains("level=WARN msg=\"a cap is reached, refusing new keys\""
                            + " flag=--max-locks max=2 refused=1 key=another\n");
        }
    }

    @Test
    void aTokenIsNeverLogged() throws Exception {
        try (GatewayProcess server =
                GatewayLauncher.ofJar("--debug", "--auth-token=" + SECRET).start()) {
            String granted = talk(server);
            assertThat(server.stop()).isZero();
            assertThat(server.err())
                    .contains("msg=\"auth failed\"", "msg=\"client connected\"", "msg=\"client closed\"")
                    .contains("msg=\"protocol error\"")
                    .doesNotContain(SECRET, "almost-the-secret", granted, granted.substring(16));
        }
    }

    /**
     * Sends one of each request that carries a token, right and wrong. Returns the token of a
     * grant.
     */
    private static String talk(GatewayProcess server) throws IOException, InterruptedException {
        try (LineClient stranger = server.client();
                LineClient other = server.client();
                LineClient client = server.client()) {
            assertThat(stranger.ask("auth", "_", "almost-the-secret")).isEqualTo("error_auth");
            assertThat(stranger.rest()).isEmpty();
            other.send(SECRET.repeat(20) + "\n");
            assertThat(other.rest()).isEqualTo("error_auth\n");
            assertThat(client.ask("auth", "_", SECRET)).isEqualTo("ok");
            HeldGrant held = client.lock("job");
            String token = held.token();
            assertThat(client.ask("n", "job", token + " x")).isEqualTo("error");
            assertThat(client.ask("n", "job", token + " 9")).isEqualTo("ok 9");
            assertThat(client.ask("r", "job", token + "0")).isEqualTo("error");
            assertThat(client.ask(token, "job", token)).isEqualTo("error");
            client.release(held);
            return token;
        }
    }
}
