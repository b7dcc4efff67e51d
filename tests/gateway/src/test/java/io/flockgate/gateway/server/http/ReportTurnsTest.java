package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.FaultyStorage;
import io.flockgate.testsupport.LineClient;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests that wait while too many reports run (protocol-docs/rest-api.md, § 12). */
class ReportTurnsTest {
    /** As many reports as one address may run at once. */
    private static final int RUNNING = 2;

    private static final int SLOW = RUNNING + 2;

    @ParameterizedTest
    @CsvSource({
        "GET, /v1/stats",
        "GET, /v1/keys",
        "GET, /v1/keys/a",
        "GET, /v1/deadlocks",
        "GET, /v1/gateways",
        "GET, /metrics",
        "GET, /v1/fleetlock/groups",
        "GET, /v1/fleetlock/groups/one",
        "DELETE, /v1/keys/a/queue/7?reason=stuck"
    })
    void aRequestWaitsForTheEndOfAReport(String method, String target) throws Exception {
        String key = FaultyStorage.COUNTED + "turns-" + target.hashCode();
        List<LineClient> slow = new ArrayList<>();
        try (TestGateway gateway =
                        TestGateway.startWithHttp("--storage=faulty", "--event-loops=1", "--fleetlock-groups=one");
                RawHttp client = RawHttp.of(gateway.httpPort())) {
            for (int i = 0; i < SLOW; i++) {
                LineClient next = LineClient.connect(gateway.httpPort());
                slow.add(next);
                next.send(RawHttp.request("GET", "/v1/keys/" + key, "", ""));
            }
            FaultyStorage.awaitDetails(key, RUNNING);
            client.send(RawHttp.request(method, target, "", ""));
            assertThat(client.response().status()).isIn(200, 404);
            int answered = 0;
            for (LineClient each : slow) {
                answered += each.input().available() > 0 ? 1 : 0;
            }
            assertThat(answered).isPositive();
        } finally {
            for (LineClient each : slow) {
                each.close();
            }
        }
    }
}
