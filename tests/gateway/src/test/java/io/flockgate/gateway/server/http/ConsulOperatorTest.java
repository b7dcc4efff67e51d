package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import io.flockgate.testsupport.Programs;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What an operator sees and orders at a gateway that shares a Consul with others. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class ConsulOperatorTest {
    private final String prefix = "operator/" + UUID.randomUUID();

    private TestGateway gateway(String... more) {
        List<String> flags = new ArrayList<>(List.of(
                "--storage=consul", "--consul-addr=" + ConsulAgent.shared().address(), "--consul-prefix=" + prefix));
        flags.addAll(List.of(more));
        return TestGateway.startWithHttp(flags.toArray(String[]::new));
    }

    @Test
    void gatewaysLearnTheAddressesOfEachOthersPages() throws Exception {
        try (TestGateway first = gateway("--node-name=gate-1", "--http-page-url=https://gate-1.example/");
                TestGateway second = gateway("--node-name=gate-2", "--http-page-url=https://gate-2.example/")) {
            for (TestGateway each : List.of(first, second)) {
                try (RawHttp http = RawHttp.of(each.httpPort())) {
                    String all = Polling.until(
                            () -> http.get("/v1/gateways").body(), text -> text.split("page", -1).length > 2);
                    assertThat(all)
                            .containsPattern("\"gateway\":\"gate-1\"[^}]*\"page\":\"https://gate-1.example/\"")
                            .containsPattern("\"gateway\":\"gate-2\"[^}]*\"page\":\"https://gate-2.example/\"");
                }
            }
        }
    }

    @Test
    void aRingOverTwoGatewaysIsFoundByBothAndGoneWhenItOpens() throws Exception {
        try (TestGateway first = gateway("--node-name=gate-1");
                TestGateway second = gateway("--node-name=gate-2");
                LineClient billing = first.client();
                LineClient shop = second.client();
                RawHttp one = RawHttp.of(first.httpPort());
                RawHttp other = RawHttp.of(second.httpPort())) {
            assertThat(billing.ask("hello", "billing", "")).isEqualTo("ok");
            assertThat(shop.ask("hello", "shop", "")).isEqualTo("ok");
            billing.lock("accounts", 0, 600);
            shop.lock("orders", 0, 600);
            billing.send(LineClient.frame("l", "orders", "600"));
            awaitWaiter("orders", one, other);
            assertThat(one.get("/v1/deadlocks").body()).contains("\"count\":0");
            shop.send(LineClient.frame("l", "accounts", "600"));
            awaitWaiter("accounts", one, other);
            for (RawHttp each : List.of(one, other)) {
                assertThat(each.get("/v1/deadlocks").body())
                        .contains("\"count\":1,\"complete\":true", "\"by\":\"client\"")
                        .containsPattern("\"name\":\"billing\",\"gateway\":\"gate-1\",\"holds\":\"accounts\"")
                        .containsPattern("\"name\":\"shop\",\"gateway\":\"gate-2\",\"holds\":\"orders\"");
            }
            billing.close();
            shop.granted("accounts");
            assertThat(other.get("/v1/deadlocks").body()).contains("\"count\":0");
        }
    }

    private static void awaitWaiter(String key, RawHttp... gateways) throws Exception {
        for (RawHttp each : gateways) {
            String unused = Polling.until(
                    () -> each.get("/v1/keys/" + key).body(), body -> body.contains("\"waiter_count\":1"));
        }
    }

    @Test
    void consulLockEndsItsCommandWhenItsHoldIsForcedAway() throws Exception {
        Process command = ConsulAgent.shared()
                .command("lock", "-shell=false", prefix + "-shared", "sleep", "600")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (TestGateway gateway = gateway("--consul-map=shared=" + prefix + "-shared");
                LineClient line = gateway.client();
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            String key = Polling.until(
                    () -> http.get("/v1/keys/shared").body(), body -> body.contains("\"holder_count\":1"));
            String fence =
                    new JsonObject(key).getJsonArray("holders").getJsonObject(0).getString("fence");
            String holder = "/v1/keys/shared/holders/" + fence + "?reason=stuck";
            Response refused = http.ask("DELETE", holder, "", "");
            assertThat(refused.status()).isEqualTo(409);
            assertThat(refused.error()).isEqualTo("foreign_holder");
            assertThat(http.ask("DELETE", holder + "&force=true", "", "").status())
                    .isEqualTo(204);
            Programs.awaitEnd(command);
            line.release(line.lock("shared", 60, 60));
        } finally {
            command.destroyForcibly();
        }
    }
}
