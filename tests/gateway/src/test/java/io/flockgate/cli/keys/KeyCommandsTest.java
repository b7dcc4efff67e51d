package io.flockgate.cli.keys;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cli.run.CommandRun;
import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.ScriptedServer;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The commands that list and show keys, renew and release grants, and give orders, over both
 * protocols.
 */
@Execution(ExecutionMode.CONCURRENT)
class KeyCommandsTest {
    @AutoClose
    private final TestGateway gateway = TestGateway.startWithHttp();

    @AutoClose
    private final LineClient client = gateway.client();

    private final CommandRun command = new CommandRun();

    KeyCommandsTest() throws IOException {}

    private List<String> rows() {
        return command.output().lines().map(row -> row.replaceAll(" +", " ")).toList();
    }

    private int run(String scheme, String line) {
        int port = scheme.equals("http") ? gateway.httpPort() : gateway.port();
        return command.run(Map.of("FLOCKGATE_SERVER", scheme + "://127.0.0.1:" + port), line);
    }

    @ParameterizedTest
    @ValueSource(strings = {"flockgate", "http"})
    void keysAreListed(String scheme) throws Exception {
        HeldGrant unused = client.lock("deploy", 0, 60);
        unused = client.slot("pool", 0, 3, 60);

        assertThat(run(scheme, "ls")).isZero();
        assertThat(rows())
                .satisfiesExactly(
                        line -> assertThat(line).isEqualTo("KEY KIND LIMIT HOLDERS WAITERS HELD IDLE HOLDER"),
                        line -> assertThat(line)
                                .startsWith("deploy lock 1 1 0 ")
                                .endsWith(" " + address(client)),
                        line -> assertThat(line).startsWith("pool semaphore 3 1 0 "));
        assertThat(run(scheme, "ls --prefix po --json")).isZero();
        assertThat(command.output())
                .startsWith("{\"key\":\"pool\",\"kind\":\"semaphore\",\"limit\":3,")
                .hasLineCount(1);
    }

    /** Answers the first request, and closes at the second. */
    private static void closeAfterHello(Socket socket) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
        for (int line = 1; line <= 6; line++) {
            assertThat(in.readLine()).isNotNull();
            if (line == 3) {
                socket.getOutputStream().write("ok detached reasons\n".getBytes(UTF_8));
            }
        }
    }

    @Test
    void aReleaseIsNotSentAgainIfItsResultIsUnknown() throws Exception {
        HeldGrant held = client.lock("deploy", 0, 60);
        try (ScriptedServer silent = ScriptedServer.ofConnections(KeyCommandsTest::closeAfterHello)) {
            String servers = "127.0.0.1:" + silent.port() + ",127.0.0.1:" + gateway.port();

            assertThat(run("flockgate", "release deploy " + held.token() + " --server " + servers))
                    .isEqualTo(1);
            assertThat(command.errorOutput()).contains("the result is unknown").hasLineCount(1);
        }
        client.release(held);
    }

    @Test
    void aKeyIsShownWithHoldersAndQueueAndTheirClients() throws Exception {
        assertThat(client.ask("hello", "ci-7", "")).startsWith("ok");
        String fence = client.lock("a/b", 0, 3600).token().substring(0, 16);
        try (LineClient waiter = gateway.client()) {
            assertThat(waiter.ask("e", "a/b", "3600")).isEqualTo("queued");
            assertThat(run("http", "show a/b --json")).isZero();
            assertThat(command.output()).startsWith("{\"key\":\"a/b\"");
            JsonObject first =
                    new JsonObject(command.output()).getJsonArray("queue").getJsonObject(0);
            String node = first.getString("gateway");

            assertThat(run("http", "show a/b")).isZero();

            assertThat(node).isNotEmpty();
            assertThat(rows())
                    .contains(
                            "a/b lock 1 1 1",
                            "FENCE DECIMAL CLIENT TOKEN ADDRESS GATEWAY HELD LEASE LEFT",
                            "PLACE ID CLIENT TOKEN ADDRESS GATEWAY WAITING")
                    .anyMatch(line -> line.startsWith(fence + " " + Long.parseUnsignedLong(fence, 16) + " ci-7 - "
                            + address(client) + " " + node + " "))
                    .anyMatch(line -> line.startsWith("1 " + first.getString("id") + " connection "
                            + first.getValue("conn_id") + " - " + address(waiter) + " " + node + " "));
        }
        assertThat(run("http", "show a/b")).isZero();
        assertThat(command.output()).contains("FENCE ").doesNotContain("PLACE");
        assertThat(run("flockgate", "show none")).isEqualTo(74);
        assertThat(command.errorOutput()).contains("the server has no key \"none\"");
    }

    @Test
    void aGatewayWithoutARestApiSaysSo() {
        try (TestGateway lineOnly = TestGateway.start()) {
            String server = " --server 127.0.0.1:" + lineOnly.port();
            for (String line : List.of("ls", "ls --watch", "show a", "undrain")) {
                assertThat(run("http", line + server)).isEqualTo(1);
                assertThat(command.errorOutput())
                        .contains("has no REST API: start it with --http-port")
                        .hasLineCount(1);
            }
        }
    }

    private static String address(LineClient client) {
        return "127.0.0.1:" + client.socket().getLocalPort();
    }

    @Test
    void aGrantIsRenewedAndReleasedByItsToken() throws Exception {
        String grant = "deploy " + client.lock("deploy").token();

        assertThat(run("flockgate", "renew " + grant + " --lease 2m")).isZero();
        assertThat(command.output()).isEqualTo("renewed for 2m\n");
        assertThat(run("flockgate", "release " + grant + " --json")).isZero();
        assertThat(command.output()).isEqualTo("{\"key\":\"deploy\",\"event\":\"released\"}\n");
        assertThat(run("flockgate", "release " + grant)).isEqualTo(74);
        assertThat(command.errorOutput()).contains("the token is not held");
        assertThat(run("flockgate", "renew " + grant)).isEqualTo(74);
        HeldGrant unused = client.lock("deploy", 0, 60);
    }

    /** The client has introduced itself, and therefore keeps its connection. */
    @ParameterizedTest
    @CsvSource({"http, 0", "flockgate, 1"})
    void aGrantIsReleasedByEitherFormOfTheFenceThatShowPrints(String scheme, int column) throws Exception {
        assertThat(client.ask("hello", "ci-7", "")).isEqualTo("ok");
        HeldGrant held = client.lock("a/b", 0, 60);
        assertThat(run(scheme, "show a/b")).isZero();
        String fence =
                command.output().lines().skip(4).findFirst().orElseThrow().split(" +", -1)[column];
        try (LineClient waiter = gateway.client();
                LineClient observer = gateway.client()) {
            waiter.queueUp("a/b", observer, 1);
            assertThat(run(scheme, "release a/b --force --fence " + fence + " --reason stuck"))
                    .isZero();
            assertThat(command.output()).isEqualTo("released\n");
            HeldGrant next = waiter.granted("a/b");
            assertThat(client.ask("r", "a/b", held.token())).isEqualTo("error");

            assertThat(run(scheme, "release a/b --force --fence " + fence + " --reason stuck"))
                    .isEqualTo(74);
            assertThat(command.errorOutput())
                    .isEqualTo("flockgate release: another grant holds the key by now: see flockgate show\n");
            waiter.release(next);
        }
        assertThat(run(scheme, "release a/b --force --fence " + fence + " --reason stuck"))
                .isEqualTo(74);
        assertThat(command.errorOutput()).isEqualTo("flockgate release: the key is not held\n");
    }

    @Test
    void aWaiterIsRemovedByTheIdThatShowPrints() throws Exception {
        HeldGrant unused = client.lock("job", 0, 60);
        try (LineClient waiter = gateway.client();
                LineClient observer = gateway.client()) {
            waiter.queueUp("job", observer, 1);
            assertThat(run("http", "show job")).isZero();
            String id =
                    command.output().lines().reduce("", (first, last) -> last).split(" +", -1)[1];
            assertThat(run("http", "release job --force --json --reason stuck --waiter " + id))
                    .isZero();
            assertThat(command.output()).isEqualTo("{\"key\":\"job\",\"event\":\"removed\"}\n");
            assertThat(waiter.line()).isEqualTo("timeout");
            assertThat(run("http", "release job --force --reason stuck --waiter " + id))
                    .isEqualTo(74);
        }
    }

    @Test
    void theLimitOfASemaphoreInUseIsChanged() throws Exception {
        HeldGrant unused = client.slot("pool", 0, 1, 60);
        try (LineClient waiter = gateway.client()) {
            CompletableFuture<String> next = waiter.askLater("sl", "pool", "60 1 60");
            client.awaitWaiters("pool", 1);
            assertThat(run("flockgate", "limit pool 2 --reason more")).isZero();
            assertThat(command.output()).isEqualTo("limit 2\n");
            assertThat(next.get()).startsWith("ok ");
        }
        assertThat(run("flockgate", "limit pool 3 --json --reason more")).isZero();
        assertThat(command.output()).isEqualTo("{\"key\":\"pool\",\"event\":\"limit\",\"limit\":3}\n");
        HeldGrant unusedLock = client.lock("job");
        assertThat(run("flockgate", "limit job 2 --reason more")).isEqualTo(1);
        assertThat(command.errorOutput()).isEqualTo("flockgate limit: the key is not a semaphore\n");
        assertThat(run("flockgate", "limit nothing 2 --reason more")).isEqualTo(74);
        assertThat(command.errorOutput()).isEqualTo("flockgate limit: there is no such key\n");
    }

    @Test
    void aGatewayIsDrainedAndUndrained() throws Exception {
        HeldGrant held = client.lock("job", 0, 60);
        assertThat(run("http", "drain --reason kernel")).isZero();
        assertThat(command.output()).isEqualTo("draining: no new claims\n");
        assertThat(client.ask("l", "other", "0")).isEqualTo("error_draining");
        client.release(held);
        assertThat(run("http", "undrain")).isZero();
        assertThat(command.output()).isEqualTo("accepts claims again\n");
        client.release(client.lock("other", 0, 60));
    }
}
