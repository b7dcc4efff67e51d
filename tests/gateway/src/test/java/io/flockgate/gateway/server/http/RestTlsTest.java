package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.TlsClients;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The REST API with TLS, under the same certificate as the line protocol. */
@Execution(ExecutionMode.CONCURRENT)
class RestTlsTest {
    @Test
    void theRestApiIsServedOverTls() throws Exception {
        TlsClients clients = TlsClients.trusting("rsa.crt");
        try (TestGateway gateway = TestGateway.startWithHttp(TlsClients.flags("rsa.crt", "rsa-pkcs8.key"));
                RawHttp http = new RawHttp(clients.connect(gateway.httpPort()).socket())) {
            assertThat(SessionClient.newSession(http)).hasSize(32);
            assertThat(http.get("/health").body()).isEqualTo("{\"status\":\"ok\"}\n");
        }
    }

    @Test
    void aClientWithoutTlsIsClosed() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp(TlsClients.flags("ec.crt", "ec-pkcs8.key"));
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            http.send(RawHttp.request("GET", "/health", "", ""));
            assertThat(http.rest()).doesNotContain("\"status\"");
        }
    }
}
