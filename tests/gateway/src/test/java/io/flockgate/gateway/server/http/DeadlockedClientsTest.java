package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.TokensFixture;
import io.flockgate.testsupport.LineClient;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that wait for each other, as operators see them. */
@Execution(ExecutionMode.CONCURRENT)
class DeadlockedClientsTest {
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final List<TestGateway> gateways = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened.reversed()) {
            each.close();
        }
    }

    private void inMemory() {
        gateways.add(opened(TestGateway.startWithHttp("--node-name=gate-1")));
    }

    private void overConsul() {
        String prefix = "deadlocks/" + UUID.randomUUID() + "/";
        for (int i = 1; i <= 2; i++) {
            gateways.add(opened(TestGateway.startWithHttp(
                    "--node-name=gate-" + i,
                    "--storage=consul",
                    "--consul-addr=" + ConsulAgent.shared().address(),
                    "--consul-prefix=" + prefix)));
        }
    }

    private <T extends AutoCloseable> T opened(T resource) {
        opened.add(resource);
        return resource;
    }

    /** Client n is named and holds key n. Clients take the gateways in turn. */
    private List<LineClient> ring(int size) throws IOException {
        List<LineClient> clients = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            LineClient client = opened(gateways.get(i % gateways.size()).client());
            client.send("hello\nclient-" + i + "\n\nl\nkey-" + i + "\n0 600\n");
            assertThat(client.line()).isEqualTo("ok");
            assertThat(client.line()).startsWith("ok ");
            clients.add(client);
        }
        return clients;
    }

    private static void waitFor(LineClient client, String key, int seconds) throws IOException {
        client.send("l\n" + key + "\n" + seconds + "\n");
    }

    private void awaitWaiter(String key) throws Exception {
        for (TestGateway each : gateways) {
            try (RawHttp http = RawHttp.of(each.httpPort())) {
                long end = System.nanoTime() + LineClient.PATIENCE.toNanos();
                String body;
                do {
                    assertThat(System.nanoTime() - end)
                            .as("waiting for %s", key)
                            .isNegative();
                    body = http.get("/v1/keys/" + key).body();
                } while (!body.contains("\"waiter_count\":1"));
            }
        }
    }

    private JsonObject deadlocks(TestGateway gateway) throws Exception {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            Response response = http.get("/v1/deadlocks");
            assertThat(response.status()).as("%s", response).isEqualTo(200);
            return new JsonObject(response.body());
        }
    }

    private void expectRing(int size) throws Exception {
        ApiDocument document = ApiDocument.published();
        for (TestGateway each : gateways) {
            JsonObject found = deadlocks(each);
            document.expectFits("DeadlockList", found.encode());
            assertThat(found.getInteger("count")).as("%s", found).isOne();
            assertThat(found.getBoolean("complete")).isTrue();
            JsonObject deadlock = found.getJsonArray("deadlocks").getJsonObject(0);
            assertThat(deadlock.getString("by")).isEqualTo("client");
            assertThat(deadlock.getInteger("client_count")).isEqualTo(size);
            JsonArray clients = deadlock.getJsonArray("clients");
            for (int i = 0; i < size; i++) {
                JsonObject client = clients.getJsonObject(i);
                JsonObject next = clients.getJsonObject((i + 1) % size);
                int number = Integer.parseInt(client.getString("name").substring("client-".length()));
                assertThat(client.getString("holds")).isEqualTo("key-" + number);
                assertThat(client.getString("waits_for")).isEqualTo(next.getString("holds"));
                assertThat(client.getString("gateway")).isEqualTo("gate-" + (number % gateways.size() + 1));
                assertThat(client.getString("address")).startsWith("127.0.0.1:");
                assertThat(client.getString("fence")).matches("[0-9a-f]{16}");
            }
        }
    }

    private void ringIsFound(int size) throws Exception {
        List<LineClient> clients = ring(size);
        for (int i = 0; i < size; i++) {
            assertThat(deadlocks(gateways.getFirst()).getInteger("count")).isZero();
            waitFor(clients.get(i), "key-" + (i + 1) % size, 600);
            awaitWaiter("key-" + (i + 1) % size);
        }
        expectRing(size);
        clients.getFirst().close();
        assertThat(clients.getLast().line()).startsWith("ok ");
        assertThat(deadlocks(gateways.getFirst()).getInteger("count")).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 10})
    void aRingIsFoundWhenItClosesAndGoneWhenItOpens(int size) throws Exception {
        inMemory();
        ringIsFound(size);
    }

    @Tag("consul")
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 10})
    void aRingOverTwoGatewaysIsFoundByBoth(int size) throws Exception {
        overConsul();
        ringIsFound(size);
    }

    @Test
    void aWaitWhoseTimeoutHasPassedIsNoDeadlock() throws Exception {
        inMemory();
        waitEndsWithoutADeadlock();
    }

    @Tag("consul")
    @Test
    void aWaitAtAnotherGatewayWhoseTimeoutHasPassedIsNoDeadlock() throws Exception {
        overConsul();
        waitEndsWithoutADeadlock();
    }

    private void waitEndsWithoutADeadlock() throws Exception {
        List<LineClient> clients = ring(2);
        waitFor(clients.get(0), "key-1", 1);
        assertThat(clients.get(0).line()).isEqualTo("timeout");
        waitFor(clients.get(1), "key-0", 600);
        awaitWaiter("key-0");
        for (TestGateway each : gateways) {
            assertThat(deadlocks(each).getInteger("count")).isZero();
        }
    }

    @Test
    void aSessionAndAConnectionOfOneNameAreOneParty() throws Exception {
        inMemory();
        List<LineClient> clients = ring(2);
        waitFor(clients.get(1), "key-0", 600);
        awaitWaiter("key-0");
        LineClient sameName = opened(gateways.getFirst().client());
        sameName.send("hello\nclient-0\n\n");
        assertThat(sameName.line()).isEqualTo("ok");
        waitFor(sameName, "key-1", 600);
        awaitWaiter("key-1");
        JsonObject found = deadlocks(gateways.getFirst());
        assertThat(found.getInteger("count")).isOne();
        JsonObject deadlock = found.getJsonArray("deadlocks").getJsonObject(0);
        assertThat(deadlock.getString("by")).isEqualTo("name");
        JsonObject pair = deadlock.getJsonArray("clients").stream()
                .map(each -> (JsonObject) each)
                .filter(each -> each.getString("name").equals("client-0"))
                .findFirst()
                .orElseThrow();
        assertThat(pair.getJsonObject("holder").getInteger("conn_id")).isNotEqualTo(pair.getInteger("conn_id"));
    }

    @Test
    void aTokenSeesTheDeadlocksAllOfWhoseKeysItMayRead(@TempDir Path directory) throws Exception {
        gateways.add(opened(TestGateway.startWithHttp(TokensFixture.flag(
                directory,
                Map.of("all", List.of("all"), "half", List.of("read:key-0"), "whole", List.of("read:key-*"))))));
        List<LineClient> clients = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            LineClient client = opened(gateways.getFirst().client());
            client.send("auth\n_\n" + TokensFixture.secretOf("all") + "\nl\nkey-" + i + "\n0 600\n");
            assertThat(client.line()).isEqualTo("ok");
            assertThat(client.line()).startsWith("ok ");
            clients.add(client);
        }
        for (int i = 0; i < 2; i++) {
            clients.get(i).send("e\nkey-" + (1 - i) + "\n600\n");
            assertThat(clients.get(i).line()).isEqualTo("queued");
        }
        try (RawHttp http = RawHttp.of(gateways.getFirst().httpPort())) {
            for (Map.Entry<String, Integer> token :
                    Map.of("all", 1, "whole", 1, "half", 0).entrySet()) {
                Response found = http.ask("GET", "/v1/deadlocks", TokensFixture.bearer(token.getKey()), "");
                assertThat(new JsonObject(found.body()).getInteger("count"))
                        .as("%s: %s", token, found)
                        .isEqualTo(token.getValue());
            }
        }
    }
}
