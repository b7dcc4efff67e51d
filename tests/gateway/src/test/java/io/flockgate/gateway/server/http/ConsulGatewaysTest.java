package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.Polling;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Gateways on one Consul learn the addresses of each other's pages. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class ConsulGatewaysTest {
    private final String prefix = "gateways/" + UUID.randomUUID();

    private GatewayProcess gateway(String name, String... more) throws Exception {
        return GatewayLauncher.ofJar("--consul-prefix=" + prefix, "--node-name=" + name)
                .flags(more)
                .onConsul(ConsulAgent.shared().address())
                .withHttp()
                .start();
    }

    private static String gateways(GatewayProcess gateway) throws Exception {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            return http.get("/v1/gateways").body();
        }
    }

    @Test
    void theAddressOfAPageIsTheGivenOneOrThatOfItsPort() throws Exception {
        try (GatewayProcess given = gateway("gate-1", "--http-page-url=https://gate-1.example/");
                GatewayProcess derived = gateway("gate-2")) {
            String unused = Polling.until(() -> gateways(given), text -> text.contains("gate-2"));
            String other = Polling.until(() -> gateways(derived), text -> text.contains("gate-1"));
            String page = "http://127.0.0.1:" + derived.httpPort() + "/";
            assertThat(gateways(given))
                    .containsPattern(
                            "\"gateway\":\"gate-1\"[^}]*\"page\":\"https://gate-1.example/\"[^}]*\"self\":true")
                    .containsPattern("\"gateway\":\"gate-2\"[^}]*\"page\":\"" + page + "\"");
            assertThat(other).containsPattern("\"gateway\":\"gate-1\"[^}]*\"page\":\"https://gate-1.example/\"");
        }
    }
}
