package io.flockgate.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code flockgate lock}, in this process and in its own. */
@Execution(ExecutionMode.CONCURRENT)
class LockCommandTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private TestGateway gateway;

    @BeforeEach
    void start() {
        gateway = TestGateway.startWithHttp();
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    private String output() {
        return out.toString(UTF_8);
    }

    private int run(String... args) {
        return LockCommand.run(
                List.of(args),
                Map.of("FLOCKGATE_SERVER", "127.0.0.1:" + gateway.port()),
                new PrintStream(out, true, UTF_8),
                new PrintStream(err, true, UTF_8),
                SignalInbox::closed);
    }

    @Tag("process")
    @Test
    void theTokenIsPrintedAndASignalReleasesTheKey() throws Exception {
        try (LineClient next = gateway.client();
                LineClient observer = gateway.client();
                GatewayProcess process = GatewayLauncher.ofJar(
                                "lock", "deploy", "--json", "--server=127.0.0.1:" + gateway.port())
                        .launch()) {
            var unused = process.awaitLog("\"event\":\"acquired\"");
            CompletableFuture<String> granted = next.askLater("l", "deploy", "60");
            observer.awaitWaiters("deploy", 1);
            process.signal("TERM");

            assertThat(granted.get()).startsWith("ok ");
            assertThat(process.exitStatus()).isZero();
            assertThat(process.out()).matches("\\{\"key\":\"deploy\",\"token\":\"[0-9a-f]{32}\",\"fence\":\"\\d+\"}\n");
            assertThat(process.err()).hasLineCount(1);
        }
    }

    @Test
    void aGrantThatIsReleasedByItsTokenIsLost() throws Exception {
        CompletableFuture<Integer> status =
                CompletableFuture.supplyAsync(() -> run("deploy", "--lease=6s", "--json"), Thread::startVirtualThread);
        Polling.until("the token is printed", () -> out.toString(UTF_8).endsWith("\n"));
        String token = out.toString(UTF_8).replaceFirst("(?s).*\"token\":\"(\\w+)\".*", "$1");
        try (LineClient client = gateway.client()) {
            assertThat(client.ask("r", "deploy", token)).isEqualTo("ok");
        }

        assertThat(status.get()).isEqualTo(74);
        assertThat(out.toString(UTF_8))
                .startsWith("{\"key\":\"deploy\",\"token\":\"")
                .contains("\"fence\":\"");
        assertThat(err.toString(UTF_8)).contains("{\"event\":\"lost\"").doesNotContain(token);
    }

    @Test
    void aLockForATimeOutlivesTheCommand() throws Exception {
        assertThat(run("deploy", "--for=10m")).isZero();
        String token = output().strip();
        assertThat(token).matches("[0-9a-f]{32}");
        try (LineClient client = gateway.client()) {
            assertThat(client.ask("l", "deploy", "0")).isEqualTo("timeout");
            assertThat(client.ask("n", "deploy", token + " 60")).isEqualTo("ok 60");
            assertThat(client.ask("r", "deploy", token)).isEqualTo("ok");
        }
        out.reset();
        assertThat(run("pool", "--for=1m", "--limit=2", "--json")).isZero();
        assertThat(output()).matches("\\{\"key\":\"pool\",\"token\":\"[0-9a-f]{32}\",\"fence\":\"\\d+\"}\n");
    }

    @Test
    void aLockForATimeWaitsForItsTurn() throws Exception {
        try (LineClient holder = gateway.client();
                LineClient observer = gateway.client()) {
            HeldGrant held = holder.lock("deploy", 0, 60);
            assertThat(run("deploy", "--for=10m", "--wait=0")).isEqualTo(75);
            assertThat(run("deploy", "--for=10m", "--limit=3", "--wait=0")).isEqualTo(69);
            CompletableFuture<Integer> status =
                    CompletableFuture.supplyAsync(() -> run("deploy", "--for=10m"), Thread::startVirtualThread);
            observer.awaitWaiters("deploy", 1);
            holder.release(held);

            assertThat(status.get()).isZero();
            assertThat(observer.ask("r", "deploy", output().strip())).isEqualTo("ok");
        }
        assertThat(err.toString(UTF_8))
                .contains(
                        "flockgate lock: not acquired: others hold deploy\n",
                        "127.0.0.1:" + gateway.port()
                                + " refuses the claim: deploy is in use with another limit than 3, or was");
    }

    @Test
    void theRightLimitIsTold() throws Exception {
        try (LineClient holder = gateway.client()) {
            HeldGrant slot = holder.slot("pool", 0, 4, 60);
            assertThat(run("pool")).isEqualTo(69);
            assertThat(run("pool", "--limit=3", "--for=1m")).isEqualTo(69);
            // A free key takes the limit of the next claim.
            assertThat(holder.ask("sr", "pool", slot.token())).isEqualTo("ok");
            assertThat(run("pool", "--limit=3", "--for=1m")).isZero();
        }
        assertThat(err.toString(UTF_8).lines())
                .hasSize(2)
                .allMatch(line -> line.contains(" refuses the claim: pool is in use with another limit than ")
                        && line.endsWith("all its clients must give the same limit: set --limit 4"));
    }

    @Test
    void whatCannotBeDoneIsRefused() throws Exception {
        assertThat(run()).isEqualTo(2);
        assertThat(run("a", "b")).isEqualTo(2);
        try (LineClient holder = gateway.client()) {
            var unused = holder.lock("deploy", 0, 60);
            assertThat(run("deploy", "--wait=0")).isEqualTo(75);
        }
        assertThat(run("deploy", "--for=1.5s")).isEqualTo(2);
        assertThat(run("deploy", "--for=5s", "--lease=6s")).isEqualTo(2);
        assertThat(run("a b", "--for=5s")).isEqualTo(2);
        assertThat(run("deploy", "--for=5s", "--name=a b")).isEqualTo(2);
        assertThat(run("deploy", "--for=5s", "--server=127.0.0.1:1")).isEqualTo(69);
        assertThat(run("deploy", "--for=5s", "--server=https://gate-1:6389")).isEqualTo(2);
        assertThat(err.toString(UTF_8).lines())
                .containsExactly(
                        "flockgate lock: the key is missing (see --help)",
                        "flockgate lock: unexpected word \"b\" (see --help)",
                        "flockgate lock: not acquired: others hold deploy",
                        "flockgate lock: --for must be whole seconds from 1s to 24h, like 30s, 5m or 1h (got \"1.5s\")",
                        "flockgate lock: --for is the lease: give it without --lease",
                        "flockgate lock: the key may only have printable ASCII characters without blanks",
                        "flockgate lock: the client name may only have printable ASCII characters without blanks",
                        "flockgate lock: no server can be reached: 127.0.0.1:1: Connection refused. Is a gateway running"
                                + " there (for http://, with --http-port)? Otherwise set --server or FLOCKGATE_SERVER",
                        "flockgate lock: https://gate-1:6389 is an address of the REST API, and this command speaks the"
                                + " line protocol: set --server or FLOCKGATE_SERVER to flockgates://gate-1:6388, or with"
                                + " the --port of the gateway");
    }
}
