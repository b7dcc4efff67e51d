package io.flockgate.gateway.command.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
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

/** {@code flockgate lock}, in this process and as one of its own. */
@Execution(ExecutionMode.CONCURRENT)
class LockCommandTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private TestGateway gateway;

    @BeforeEach
    void start() {
        gateway = TestGateway.start();
    }

    @AfterEach
    void stop() {
        gateway.close();
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
    void whatCannotBeDoneIsRefused() throws Exception {
        assertThat(run()).isEqualTo(2);
        assertThat(run("a", "b")).isEqualTo(2);
        try (LineClient holder = gateway.client()) {
            var unused = holder.lock("deploy", 0, 60);
            assertThat(run("deploy", "--wait=0")).isEqualTo(75);
        }
        assertThat(err.toString(UTF_8).lines())
                .containsExactly(
                        "flockgate lock: the key is missing (see --help)",
                        "flockgate lock: unexpected word \"b\" (see --help)",
                        "flockgate lock: not acquired: others hold deploy");
    }
}
