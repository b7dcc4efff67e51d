package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients see of a storage in trouble. */
@Execution(ExecutionMode.CONCURRENT)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TroubleTest {
    private static final String SOME_TOKEN = "0123456789abcdef0123456789abcdef";
    private static final String PING = Client.frame("ping", "_", "_");

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
        try (Client client = Client.of(gateway.port())) {
            assertThat(client.ask("l", key, "0")).isEqualTo("error");
            assertThat(client.ask("l", key, "9")).isEqualTo("error");
            assertThat(client.ask("e", key, "")).isEqualTo("error");
            assertThat(client.ask("w", key, "9")).isEqualTo("error_not_enqueued");
            assertThat(client.ask("sl", key, "9 2")).isEqualTo("error");
            assertThat(client.ask("se", key, "2")).isEqualTo("error");
            assertThat(client.ask("r", key, SOME_TOKEN)).isEqualTo("error");
            assertThat(client.ask("sr", key, SOME_TOKEN)).isEqualTo("error");
            assertThat(client.ask("n", key, SOME_TOKEN)).isEqualTo("error");
            client.send(PING + Client.frame("l", key, "5") + PING);
            assertThat(client.line()).isEqualTo("ok");
            assertThat(client.line()).isEqualTo("error");
            assertThat(client.line()).isEqualTo("ok");
            client.release("fine-" + key, client.lock("fine-" + key));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"l", "w"})
    void aPlaceThatCannotBeLeftEndsInAnErrorNotInAHang(String command) throws Exception {
        String key = FaultyStorage.CLINGING;
        try (TestGateway faulty = TestGateway.start("--storage=faulty");
                Client holder = Client.of(faulty.port());
                Client waiter = Client.of(faulty.port());
                Client vanished = Client.of(faulty.port())) {
            holder.lock(key);
            if (command.equals("w")) {
                assertThat(waiter.ask("e", key, "")).isEqualTo("queued");
            }
            assertThat(waiter.ask(command, key, "1")).isEqualTo("error");
            assertThat(waiter.ping()).isEqualTo("ok");
            vanished.send(Client.frame("l", key, "600"));
            holder.awaitWaiters(key, 2);
            vanished.close();
            holder.awaitStats("\"connections\":2,");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {FaultyStorage.BLIND, FaultyStorage.BLINDING})
    void statisticsThatCannotBeHadAreAnError(String key) throws Exception {
        try (TestGateway faulty = TestGateway.start("--storage=faulty");
                Client client = Client.of(faulty.port())) {
            client.lock(key);
            client.send(PING + Client.frame("stats", "_", "_") + PING);
            assertThat(client.line()).isEqualTo("ok");
            assertThat(client.line()).isEqualTo("error");
            assertThat(client.line()).isEqualTo("ok");
        }
    }

    @Test
    void requestsSentFarAheadOfASlowAnswerAreAllAnswered() throws Exception {
        int pings = 20_000;
        try (Client client = Client.of(gateway.port())) {
            client.send(Client.frame("l", FaultyStorage.SLOW, "0"));
            client.send(PING.repeat(pings));
            String token = Client.token(client.line());
            expectPongs(client, pings);
            client.send(Client.frame("r", FaultyStorage.SLOW, token) + PING.repeat(pings));
            assertThat(client.line()).isEqualTo("ok");
            expectPongs(client, pings);
        }
    }

    @Test
    void aClientThatGoesAwayDuringASlowClaimHoldsNothingAfterwards() throws Exception {
        try (TestGateway faulty = TestGateway.start("--storage=faulty");
                Client other = Client.of(faulty.port())) {
            Client client = Client.of(faulty.port());
            client.send(Client.frame("l", FaultyStorage.SLOW, "0 600"));
            client.close();
            other.awaitStats(
                    "\"connections\":1,\"locks\":\\[],\"semaphores\":\\[],\"idle_locks\":\\[\\{\"key\":\"slow\"");
        }
    }

    @Test
    void theLogNamesTheTroubleOnceASecondAndNoStackTrace() throws Exception {
        try (ServerProcess server = ServerProcess.start("--storage=faulty")) {
            try (Client client = server.client()) {
                for (int i = 0; i < 30; i++) {
                    assertThat(client.ask("l", FaultyStorage.UNKNOWN, "0")).isEqualTo("error");
                }
                assertThat(client.ask("n", FaultyStorage.THROWS, SOME_TOKEN)).isEqualTo("error");
            }
            server.signal("TERM");
            assertThat(server.status()).isZero();
            assertThat(server.err())
                    .containsPattern("level=WARN msg=\"storage failed\" trouble=UNAVAILABLE effect=UNKNOWN")
                    .containsPattern("level=ERROR msg=\"request failed\" conn=1 err=\"java.lang.IllegalStateException")
                    .doesNotContain("\tat ", SOME_TOKEN);
            assertThat(server.err().split("storage failed", -1)).hasSizeLessThan(10);
        }
    }

    private static void expectPongs(Client client, int count) throws Exception {
        for (int i = 0; i < count; i++) {
            assertThat(client.line()).isEqualTo("ok");
        }
    }
}
