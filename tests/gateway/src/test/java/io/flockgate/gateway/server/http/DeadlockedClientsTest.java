package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.TokensFixture;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
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

/** Clients that wait for each other, as operators see them. */
@Execution(ExecutionMode.CONCURRENT)
class DeadlockedClientsTest {
    private static final int SIZE = 3;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private final List<TestGateway> gateways = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened.reversed()) {
            each.close();
        }
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
    private List<LineClient> ring() throws IOException {
        List<LineClient> clients = new ArrayList<>();
        for (int i = 0; i < SIZE; i++) {
            LineClient client = opened(gateways.get(i % gateways.size()).client());
            client.send("hello\nclient-" + i + "\n\nl\nkey-" + i + "\n0 600\n");
            assertThat(client.line()).isEqualTo("ok");
            assertThat(client.line()).startsWith("ok ");
            clients.add(client);
        }
        return clients;
    }

    private void awaitWaiter(String key) throws Exception {
        for (TestGateway each : gateways) {
            try (RawHttp http = RawHttp.of(each.httpPort())) {
                String unused = Polling.until(
                        () -> http.get("/v1/keys/" + key).body(), body -> body.contains("\"waiter_count\":1"));
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

    private void expectRing() throws Exception {
        ApiDocument document = ApiDocument.published();
        for (TestGateway each : gateways) {
            JsonObject found = deadlocks(each);
            document.expectFits("DeadlockList", found.encode());
            assertThat(found.getInteger("count")).as("%s", found).isOne();
            assertThat(found.getBoolean("complete")).isTrue();
            JsonObject deadlock = found.getJsonArray("deadlocks").getJsonObject(0);
            assertThat(deadlock.getString("by")).isEqualTo("client");
            assertThat(deadlock.getInteger("client_count")).isEqualTo(SIZE);
            JsonArray clients = deadlock.getJsonArray("clients");
            for (int i = 0; i < SIZE; i++) {
                JsonObject client = clients.getJsonObject(i);
                JsonObject next = clients.getJsonObject((i + 1) % SIZE);
                int number = Integer.parseInt(client.getString("name").substring("client-".length()));
                assertThat(client.getString("holds")).isEqualTo("key-" + number);
                assertThat(client.getString("waits_for")).isEqualTo(next.getString("holds"));
                assertThat(client.getString("gateway")).isEqualTo("gate-" + (number % gateways.size() + 1));
                assertThat(client.getString("address")).startsWith("127.0.0.1:");
                assertThat(client.getString("fence")).matches("[0-9a-f]{16}");
            }
        }
    }

    @Tag("consul")
    @Test
    void aRingOverTwoGatewaysIsFoundByBothWhenItClosesAndGoneWhenItOpens() throws Exception {
        overConsul();
        List<LineClient> clients = ring();
        for (int i = 0; i < SIZE; i++) {
            assertThat(deadlocks(gateways.getFirst()).getInteger("count")).isZero();
            clients.get(i).send("l\nkey-" + (i + 1) % SIZE + "\n600\n");
            awaitWaiter("key-" + (i + 1) % SIZE);
        }
        expectRing();
        clients.getFirst().close();
        assertThat(clients.getLast().line()).startsWith("ok ");
        assertThat(deadlocks(gateways.getFirst()).getInteger("count")).isZero();
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
