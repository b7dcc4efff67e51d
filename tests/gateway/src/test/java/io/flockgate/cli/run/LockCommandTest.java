package io.flockgate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code flockgate lock} in this process; {@link TerminalTest} ends one by a signal. */
@Execution(ExecutionMode.CONCURRENT)
class LockCommandTest {
    private static final String DOCUMENT = "\\{\"key\":\"KEY\",\"token\":\"[0-9a-f]{32}\",\"fence\":\"\\d+\"}\n";

    private final CommandRun command = new CommandRun();

    @AutoClose
    private final TestGateway gateway = TestGateway.startWithHttp();

    private Map<String, String> environment() {
        return Map.of("FLOCKGATE_SERVER", "127.0.0.1:" + gateway.port());
    }

    private int run(String line) {
        return command.run(environment(), line);
    }

    @Test
    void aGrantThatIsReleasedByItsTokenIsLost() throws Exception {
        CompletableFuture<Integer> status = command.later(environment(), "lock deploy --lease=6s --json");
        Polling.until("the token is printed", () -> command.output().endsWith("\n"));
        String token = command.output().replaceFirst("(?s).*\"token\":\"(\\w+)\".*", "$1");
        try (LineClient client = gateway.client()) {
            assertThat(client.ask("r", "deploy", token)).isEqualTo("ok");
        }

        assertThat(status.get()).isEqualTo(74);
        assertThat(command.output()).matches(DOCUMENT.replace("KEY", "deploy"));
        assertThat(command.errorOutput())
                .startsWith("{\"event\":\"acquired\",\"key\":\"deploy\",\"fence\":\"")
                .contains("{\"event\":\"lost\"")
                .doesNotContain(token);
    }

    @Test
    void aLockForATimeOutlivesTheCommand() throws Exception {
        assertThat(run("lock deploy --for=10m")).isZero();
        String token = command.output().strip();
        assertThat(token).matches("[0-9a-f]{32}");
        try (LineClient client = gateway.client()) {
            assertThat(client.ask("l", "deploy", "0")).isEqualTo("timeout");
            assertThat(client.ask("n", "deploy", token + " 60")).isEqualTo("ok 60");
            assertThat(client.ask("r", "deploy", token)).isEqualTo("ok");
        }
        assertThat(run("lock pool --for=1m --limit=2 --json")).isZero();
        assertThat(command.output()).matches(DOCUMENT.replace("KEY", "pool"));
    }

    @Test
    void aLockForATimeWaitsForItsTurn() throws Exception {
        try (LineClient holder = gateway.client();
                LineClient observer = gateway.client()) {
            HeldGrant held = holder.lock("deploy");
            for (String line : List.of("lock deploy --for=10m --wait=0", "lock deploy --wait=0")) {
                assertThat(run(line)).isEqualTo(75);
                assertThat(command.errorOutput()).isEqualTo("flockgate lock: not acquired: others hold deploy\n");
            }
            CompletableFuture<Integer> status = command.later(environment(), "lock deploy --for=10m");
            observer.awaitWaiters("deploy", 1);
            holder.release(held);

            assertThat(status.get()).isZero();
            assertThat(observer.ask("r", "deploy", command.output().strip())).isEqualTo("ok");
        }
    }

    @Test
    void theRightLimitIsTold() throws Exception {
        try (LineClient holder = gateway.client()) {
            HeldGrant slot = holder.slot("pool", 0, 4, 60);
            for (String line : List.of("lock pool", "lock pool --limit=3 --for=1m")) {
                assertThat(run(line)).isEqualTo(69);
                assertThat(command.errorOutput())
                        .contains(" refuses the claim: pool is in use with another limit than ")
                        .endsWith("all its clients must give the same limit: set --limit 4\n")
                        .hasLineCount(1);
            }
            // A free key takes the limit of the next claim.
            assertThat(holder.ask("sr", "pool", slot.token())).isEqualTo("ok");
            assertThat(run("lock pool --limit=3 --for=1m")).isZero();
        }
    }
}
