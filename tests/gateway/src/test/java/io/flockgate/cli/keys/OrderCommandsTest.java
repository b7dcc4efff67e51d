package io.flockgate.cli.keys;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code flockgate release --force}, {@code limit} and {@code drain}, over both protocols. */
@Execution(ExecutionMode.CONCURRENT)
class OrderCommandsTest {
    @AutoClose
    private final TestGateway gateway = TestGateway.startWithHttp();

    @AutoClose
    private final LineClient client = gateway.client();

    private final CommandRun command = new CommandRun();

    OrderCommandsTest() throws IOException {}

    private int run(String scheme, String line) {
        int port = scheme.equals("http") ? gateway.httpPort() : gateway.port();
        return command.run(Map.of("FLOCKGATE_SERVER", scheme + "://127.0.0.1:" + port), line);
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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "release a --force --fence 18a6c3f2b91d4007 | --reason is missing",
                "release a --force --reason x | --force needs --reason, and either --fence or --waiter",
                "release a --force --reason x --fence 1 --waiter 2 | and either --fence or --waiter",
                "release a --force --reason x --waiter 2 --foreign | --foreign is for --fence only",
                "release a --fence 18a6c3f2b91d4007 | --fence needs --force",
                "renew a --force | unknown option",
                "release a --force --reason x --fence 18a6x3f2b91d4007 | --fence must be 16 hex digits or a decimal",
                "release a --force --reason x --fence -1 | --fence must be 16 hex digits or a decimal",
                "limit a 2 | --reason is missing",
                "limit a 0 --reason x | the limit must be a whole number of at least 1",
                "drain | --reason is missing",
                "drain --reason x --server http://a:1,http://b:1 | drain is for one gateway",
                "undrain now | unexpected word"
            })
    void anOrderThatMakesNoSenseIsAUsageError(String line, String words) {
        assertThat(run("http", line)).isEqualTo(2);
        assertThat(command.errorOutput()).contains(words).hasLineCount(1);
    }

    @Test
    void theLimitOfASemaphoreInUseIsChanged() throws Exception {
        HeldGrant unused = client.slot("pool", 0, 1, 60);
        try (LineClient waiter = gateway.client()) {
            CompletableFuture<HeldGrant> next = waiter.slotLater("pool", 60, 1, 60);
            client.awaitWaiters("pool", 1);
            assertThat(run("flockgate", "limit pool 2 --reason more")).isZero();
            assertThat(command.output()).isEqualTo("limit 2\n");
            assertThat(next.get().key()).isEqualTo("pool");
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
