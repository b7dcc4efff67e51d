package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.TlsClients;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void manyHandshakesAtOnceWithRequestsRightBehindThem(int eventLoops) throws Exception {
        TlsClients clients = TlsClients.trusting("ec.crt");
        try (TestGateway gateway = TestGateway.startWithHttp(
                        TlsClients.flags("ec.crt", "ec-sec1.key", "--event-loops=" + eventLoops));
                ExecutorService executor = Executors.newFixedThreadPool(8)) {
            List<Callable<String>> calls = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                calls.add(() -> {
                    try (RawHttp http =
                            new RawHttp(clients.connect(gateway.httpPort()).socket())) {
                        return http.get("/health").body();
                    }
                });
            }
            for (Future<String> answer : executor.invokeAll(calls)) {
                assertThat(answer.get()).isEqualTo("{\"status\":\"ok\"}\n");
            }
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
