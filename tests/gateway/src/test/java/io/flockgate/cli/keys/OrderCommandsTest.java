package io.flockgate.cli.keys;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code flockgate release --force}, {@code limit} and {@code drain}, over both protocols. */
@Execution(ExecutionMode.CONCURRENT)
class OrderCommandsTest {
    private TestGateway gateway;
    private LineClient client;

    private final CommandRun command = new CommandRun();

    @BeforeEach
    void start() throws Exception {
        gateway = TestGateway.startWithHttp();
        client = gateway.client();
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        gateway.close();
    }

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
                "http | release a --force --fence 18a6c3f2b91d4007 | --reason is missing",
                "http | release a --force --reason x | --force needs --reason, and either --fence or --waiter",
                "http | release a --force --reason x --fence 1 --waiter 2 | and either --fence or --waiter",
                "http | release a --force --reason x --waiter 2 --foreign | --foreign is for --fence only",
                "http | release a --fence 18a6c3f2b91d4007 | --fence needs --force",
                "http | renew a --force | unknown option",
                "http | release a --force --reason x --fence 18a6x3f2b91d4007 | --fence must be 16 hex digits or a decimal",
                "http | release a --force --reason x --fence -1 | --fence must be 16 hex digits or a decimal",
                "http | limit a 2 | --reason is missing",
                "http | limit a 0 --reason x | the limit must be a whole number of at least 1",
                "http | drain | --reason is missing",
                "http | drain --reason x --server http://a:1,http://b:1 | drain is for one gateway",
                "http | undrain now | unexpected word"
            })
    void anOrderThatMakesNoSenseIsAUsageError(String scheme, String line, String words) {
        assertThat(run(scheme, line)).isEqualTo(2);
        assertThat(command.errorOutput()).contains(words).hasLineCount(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"flockgate", "http"})
    void theLimitOfASemaphoreInUseIsChanged(String scheme) throws Exception {
        HeldGrant unused = client.slot("pool", 0, 1, 60);
        try (LineClient waiter = gateway.client()) {
            CompletableFuture<HeldGrant> next = waiter.slotLater("pool", 60, 1, 60);
            client.awaitWaiters("pool", 1);
            assertThat(run(scheme, "limit pool 2 --reason more")).isZero();
            assertThat(command.output()).isEqualTo("limit 2\n");
            assertThat(next.get().key()).isEqualTo("pool");
        }
        assertThat(run(scheme, "limit pool 3 --json --reason more")).isZero();
        assertThat(command.output()).isEqualTo("{\"key\":\"pool\",\"event\":\"limit\",\"limit\":3}\n");
        HeldGrant unusedLock = client.lock("job");
        assertThat(run(scheme, "limit job 2 --reason more")).isEqualTo(1);
        assertThat(command.errorOutput()).isEqualTo("flockgate limit: the key is not a semaphore\n");
        assertThat(run(scheme, "limit nothing 2 --reason more")).isEqualTo(74);
        assertThat(command.errorOutput()).isEqualTo("flockgate limit: there is no such key\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"flockgate", "http"})
    void aGatewayIsDrainedAndUndrained(String scheme) throws Exception {
        HeldGrant held = client.lock("job", 0, 60);
        assertThat(run(scheme, "drain --reason kernel")).isZero();
        assertThat(command.output()).isEqualTo("draining: no new claims\n");
        assertThat(client.ask("l", "other", "0")).isEqualTo("error_draining");
        client.release(held);
        assertThat(run(scheme, "undrain")).isZero();
        assertThat(command.output()).isEqualTo("accepts claims again\n");
        client.release(client.lock("other", 0, 60));
    }
}
