package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The packed gateway needs no class of the libraries that it is shipped without. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class PackagedGatewayTest {
    @Test
    void itServesBothPortsWithTlsOverConsul() throws Exception {
        TlsClients clients = TlsClients.trusting("rsa.crt");
        try (GatewayProcess server = GatewayLauncher.ofJar(TlsClients.flags(
                        "rsa.crt",
                        "rsa-pkcs8.key",
                        "--fleetlock-groups=packaged",
                        "--debug",
                        "--consul-prefix=packaged"))
                .onConsul(ConsulAgent.shared().address())
                .withHttp()
                .start()) {
            try (LineClient line = clients.connect(server.port())) {
                line.release(line.lock("packaged"));
            }
            for (String target :
                    new String[] {"/", "/health", "/v1/keys?sort=longest_hold", "/v1/gateways", "/metrics"}) {
                try (LineClient http = clients.connect(server.httpPort())) {
                    http.send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
                    assertThat(http.rest()).startsWith("HTTP/1.1 200 OK\r\n").doesNotContain("version=\"dev\"");
                }
            }
            assertThat(server.stop()).isZero();
            assertThat(server.err()).doesNotContain("NoClassDefFoundError", "ClassNotFoundException", "level=ERROR");
        }
    }
}
