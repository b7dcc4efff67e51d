package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.HttpCall;
import io.flockgate.testsupport.LineClient;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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

/** How a process starts and ends, also when it cannot continue. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class ProcessTest {
    private static final int CANNOT_GO_ON = 3;

    /** A blocked loop is detected after a minute. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT"})
    void aSignalEndsItWithStatusZeroAndNoStackTrace(String signal) throws Exception {
        try (GatewayProcess server =
                GatewayLauncher.ofJar().javaOptions("-Xmx1g").start()) {
            // A connection that comes and goes leaves no trace. A busy machine may need a second
            // to see that it is gone; one that stayed would be waited for until 30 s.
            server.client().close();
            server.client().reset();
            server.signal(signal);
            assertThat(server.exitStatus()).isZero();
            assertThat(server.out()).isEmpty();
            assertThat(server.err())
                    .matches("time=\\S+ level=INFO msg=listening addr=127\\.0\\.0\\.1:\\d+\n"
                            + "time=\\S+ level=INFO msg=started version=\\d\\S+ storage=memory node=\\S+"
                            + " addr=127\\.0\\.0\\.1:\\d+ http=off tls=off auth=none"
                            + " hint=\"--http-port 6389 serves REST and the page\"\n"
                            + "time=\\S+ level=INFO msg=\"shutting down, draining connections\"\n"
                            + "(time=\\S+ level=INFO msg=\"waiting up to 30 s for \\d connections?\"\n)?"
                            + "time=\\S+ level=INFO msg=stopped uptime_s=[12]?\\d\n");
        }
    }

    @Test
    void aServerWithoutTokensLoadsNoClassOfRightsTheCommandsOrTheClient(@TempDir Path directory) throws Exception {
        Path loaded = directory.resolve("loaded");
        try (GatewayProcess server = GatewayLauncher.ofJar("--fleetlock-groups=g", "--fleetlock-volatile")
                .javaOptions("-Xlog:class+load:" + loaded)
                .withHttp()
                .start()) {
            var unused = server.awaitReady(200);
            try (LineClient client = server.client()) {
                assertThat(client.ask("l", "key", "0 9")).startsWith("ok ");
                assertThat(client.ask("stats", "_", "_")).startsWith("ok ");
            }
            for (String path : List.of(
                    "/",
                    "/metrics",
                    "/v1/stats",
                    "/v1/keys",
                    "/v1/keys?sort=longest_hold",
                    "/v1/keys/key",
                    "/v1/deadlocks",
                    "/v1/gateways",
                    "/v1/fleetlock/groups/g")) {
                HttpCall.ask(server.http(), "GET", path, "");
            }
            HttpCall.ask(server.http(), "HEAD", "/v1/events", "");
            HttpCall.ask(server.http(), "POST", "/v1/sessions", "");
            assertThat(server.stop()).isZero();
        }
        List<String> ours = Files.readAllLines(loaded).stream()
                .filter(line -> line.contains(" io.flockgate."))
                .toList();
        assertThat(ours).anyMatch(line -> line.contains(" io.flockgate.gateway.Main "));
        assertThat(
                        ours.stream()
                                .filter(
                                        line -> line.matches(
                                                ".* io\\.flockgate\\.(gateway\\.rights\\.|cli\\.((keys|run)\\.|\\w+Command[ $])|client\\.).*")))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "--help, 0, '(?s)(?=.*  run ).*flockgate serve --help.*', ''",
        "--version, 0, '\\S+\n', ''",
        "--max-locks=0, 1, '', 'configuration error: --max-locks must be > 0.*\n'",
        "--tls-cert=/no/cert --tls-key=/no/key, 1, '',"
                + " 'configuration error: --tls-cert: cannot read \"/no/cert\": no such file or directory\n'",
        "--storage=stone, 1, '', 'configuration error: .*stone.*memory.*\n'",
        "rnu --key=deploy, 2, '', 'flockgate: unknown command \"rnu\": did you mean run\\? \\(see --help\\)\n'"
    })
    void wordsThatStartNoServerHaveTheirStatusAndStream(String words, int status, String out, String err)
            throws Exception {
        try (GatewayProcess command = GatewayLauncher.ofJar(words.split(" ")).launch()) {
            assertThat(command.exitStatus()).isEqualTo(status);
            assertThat(command.out()).matches(out);
            assertThat(command.err()).matches(err);
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
    @DisplayName("★26 FenceFile_StrictRestartMonotonic, over a process that is killed; ExclusiveLock")
    void aFenceFileServesOneServerAtATimeAndItsFencesRise(@TempDir Path directory) throws Exception {
        String flag = "--fence-state-file=" + directory.resolve("fence");
        HeldGrant before;
        try (GatewayProcess first = GatewayLauncher.ofJar(flag).start();
                LineClient client = first.client()) {
            before = client.lock("job");
            try (GatewayProcess second = GatewayLauncher.ofJar("--port=0", flag).launch()) {
                assertThat(second.exitStatus()).isEqualTo(1);
                assertThat(second.err())
                        .startsWith("lock manager init failed: ")
                        .hasLineCount(1)
                        .doesNotContain("null");
            }
            first.kill();
        }
        try (GatewayProcess third = GatewayLauncher.ofJar(flag).start();
                LineClient client = third.client()) {
            assertThat(client.lock("other").isAfter(before)).isTrue();
        }
    }

    @Test
    void warnsOfLimitsThatAreTakenAwayOfStrangersAndOfVariablesOfKubernetes() throws Exception {
        try (GatewayProcess server = GatewayLauncher.ofJar("--host=0.0.0.0", "--max-waiters=0", "--max-connections=0")
                .environment("DFLOCKD_HTTP_PORT", "tcp://10.0.0.1:6389")
                .start()) {
            assertThat(server.stop()).isZero();
            assertThat(server.err())
                    .contains(
                            " level=WARN msg=\"running without one or more resource limits set; not recommended"
                                    + " when reachable by untrusted clients\""
                                    + " unset=\"--max-connections --max-waiters\"\n",
                            " level=WARN msg=\"other hosts can reach this gateway, and it asks for no token:"
                                    + " set --tokens-file or --auth-token-file\" reachable=--host\n")
                    .containsPattern(" level=WARN msg=\"ignored: Kubernetes .*variables=DFLOCKD_HTTP_PORT\n");
        }
    }

    @ParameterizedTest
    @CsvSource({
        FaultyStorage.NO_MEMORY + ", out of memory",
        FaultyStorage.ENDS_THREAD + ", the thread flockgate-leases has failed",
        FaultyStorage.BLOCKS + ", the event loop vert.x-eventloop-thread-0 is blocked: .*FaultyStorage.*"
    })
    void whatCannotGoOnEndsWithAReason(String key, String reason) throws Exception {
        try (GatewayProcess server =
                        GatewayLauncher.ofJarAndTestClasses("--storage=faulty").start();
                LineClient client = server.client()) {
            client.send(LineClient.frame("l", key, "0"));
            assertThat(server.exitStatus(PATIENCE)).isEqualTo(CANNOT_GO_ON);
            assertThat(server.err())
                    .containsPattern("level=ERROR msg=\"cannot continue, ending the process\" reason=\"" + reason
                            + "\" status=3");
        }
    }

    @ParameterizedTest
    @CsvSource({"TERM, 143", "INT, 130"})
    void aSecondSignalEndsItAtOnce(String signal, int status) throws Exception {
        try (GatewayProcess server = GatewayLauncher.ofJar().start();
                LineClient client = server.client()) {
            assertThat(client.ping()).isEqualTo("ok");
            server.signal("TERM");
            server.awaitLog("level=INFO msg=\"waiting up to 30 s for 1 connection\"");
            server.signal(signal);
            assertThat(server.exitStatus()).isEqualTo(status);
            assertThat(server.err()).contains("msg=\"second signal, ending at once\" signal=" + signal);
        }
    }

    @Test
    void aShutdownEndsThoughTheStorageHangs() throws Exception {
        try (GatewayProcess server =
                GatewayLauncher.ofJarAndTestClasses("--storage=faulty").start()) {
            try (LineClient client = server.client()) {
                client.release(client.lock(FaultyStorage.NEVER_CLOSED));
            }
            assertThat(server.stop()).isEqualTo(CANNOT_GO_ON);
            assertThat(server.err())
                    .contains("level=ERROR msg=\"the shutdown takes too long, ending the process\""
                            + " waiting_for=\"the storage\" status=3");
        }
    }

    @Test
    void aSignalEndsAStartThatFails() throws Exception {
        try (GatewayProcess server =
                GatewayLauncher.ofJarAndTestClasses("--storage=stopped-start").launch()) {
            assertThat(server.exitStatus()).isZero();
            assertThat(server.err()).doesNotContain("takes too long");
        }
    }
}
