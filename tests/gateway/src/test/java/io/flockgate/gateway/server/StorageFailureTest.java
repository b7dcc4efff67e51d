package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The answers to clients while the storage fails. */
@Execution(ExecutionMode.CONCURRENT)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StorageFailureTest {
    private static final String SOME_TOKEN = "0123456789abcdef0123456789abcdef";
    private static final String PING = LineClient.frame("ping", "_", "_");

    private TestGateway gateway;

    @BeforeAll
    void start() {
        gateway = TestGateway.start("--storage=faulty");
    }

    @AfterAll
    void stop() {
        gateway.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {FaultyStorage.THROWS, FaultyStorage.NOT_DONE, FaultyStorage.UNKNOWN})
    @DisplayName(
            "RecoversHandlerPanic, and failures that are told: an error for each request, and the connection goes on")
    void everyRequestGetsAnErrorAndTheConnectionGoesOn(String key) throws Exception {
        try (LineClient client = gateway.client()) {
            assertThat(client.ask("l", key, "0")).isEqualTo("error");
            assertThat(client.ask("l", key, "9")).isEqualTo("error");
            assertThat(client.ask("e", key, "")).isEqualTo("error");
            assertThat(client.ask("w", key, "9")).isEqualTo("error_not_enqueued");
            assertThat(client.ask("sl", key, "9 2")).isEqualTo("error");
            assertThat(client.ask("se", key, "2")).isEqualTo("error");
            assertThat(client.ask("r", key, SOME_TOKEN)).isEqualTo("error");
            assertThat(client.ask("sr", key, SOME_TOKEN)).isEqualTo("error");
            assertThat(client.ask("n", key, SOME_TOKEN)).isEqualTo("error");
            client.send(PING + LineClient.frame("l", key, "5") + PING);
            assertThat(client.line()).isEqualTo("ok");
            assertThat(client.line()).isEqualTo("error");
            assertThat(client.line()).isEqualTo("ok");
            client.release(client.lock("fine-" + key));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"l", "w"})
    void aPlaceThatCannotBeLeftEndsInAnErrorNotInAHang(String command) throws Exception {
        String key = FaultyStorage.CLINGING;
        try (TestGateway faulty = TestGateway.start("--storage=faulty");
                LineClient holder = faulty.client();
                LineClient waiter = faulty.client();
                LineClient vanished = faulty.client()) {
            holder.lock(key);
            if (command.equals("w")) {
                assertThat(waiter.ask("e", key, "")).isEqualTo("queued");
            }
            assertThat(waiter.ask(command, key, "1")).isEqualTo("error");
            assertThat(waiter.ping()).isEqualTo("ok");
            vanished.queueUp(key, holder, 2);
            vanished.close();
            holder.awaitStats("\"connections\":2,");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {FaultyStorage.BLIND, FaultyStorage.BLINDING})
    void statisticsThatCannotBeHadAreAnError(String key) throws Exception {
        try (TestGateway faulty = TestGateway.start("--storage=faulty");
                LineClient client = faulty.client()) {
            client.lock(key);
            client.send(PING + LineClient.frame("stats", "_", "_") + PING);
            assertThat(client.line()).isEqualTo("ok");
            assertThat(client.line()).isEqualTo("error");
            assertThat(client.line()).isEqualTo("ok");
        }
    }

    @Test
    void whatAClientSendsAheadBeforeItsLastByteIsAllAnswered() throws Exception {
        int pings = 3_500;
        try (LineClient client = gateway.client()) {
            client.send(LineClient.frame("l", FaultyStorage.SLOW + "-end", "0"));
            HeldGrant held = client.granted(FaultyStorage.SLOW + "-end");
            client.send(LineClient.frame("r", held.key(), held.token()) + PING.repeat(pings));
            client.halfClose();
            expectPongs(client, 1 + pings);
            assertThat(client.rest()).isEmpty();
        }
    }

    @Tag("process")
    @Test
    void theLogNamesTheFailureOnceASecondWithoutAStackTrace() throws Exception {
        try (GatewayProcess server =
                GatewayLauncher.ofJarAndTestClasses("--storage=faulty").start()) {
            try (LineClient client = server.client()) {
                for (int i = 0; i < 30; i++) {
                    assertThat(client.ask("l", FaultyStorage.UNKNOWN, "0")).isEqualTo("error");
                }
                assertThat(client.ask("n", FaultyStorage.THROWS, SOME_TOKEN)).isEqualTo("error");
            }
            assertThat(server.stop()).isZero();
            assertThat(server.err())
                    .containsPattern("level=WARN msg=\"storage failed\" err=.* effect=unknown")
                    .containsPattern("level=ERROR msg=\"request failed\" conn=1 err=\"java.lang.IllegalStateException")
                    .doesNotContain("\tat ", SOME_TOKEN);
            assertThat(server.err().split("storage failed", -1)).hasSizeLessThan(10);
        }
    }

    private static void expectPongs(LineClient client, int count) throws Exception {
        for (int i = 0; i < count; i++) {
            assertThat(client.line()).isEqualTo("ok");
        }
    }
}
