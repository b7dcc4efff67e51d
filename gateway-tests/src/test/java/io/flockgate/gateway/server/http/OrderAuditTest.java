package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.log.Audit;
import io.flockgate.gateway.server.FaultyStorage;
import io.flockgate.testsupport.LogLines;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The audit lines of orders whose result is unknown. */
class OrderAuditTest {
    private static final String FENCE = "18a6c3f2b91d4007";

    @Test
    void anOrderThatMayHaveBeenCarriedOutIsALineEachTime() throws Exception {
        try (LogLines lines = LogLines.ofAllThreads(Audit.class);
                TestGateway gateway = TestGateway.startWithHttp("--storage=faulty");
                RawHttp operator = RawHttp.of(gateway.httpPort())) {
            String key = "/v1/keys/" + FaultyStorage.UNKNOWN;
            String holder = key + "/holders/" + FENCE;
            for (String path : List.of(holder + "?", holder + "?force=true&", key + "/queue/7?", key + "/queue/7?")) {
                Response answer = operator.ask("DELETE", path + "reason=result-unknown", "", "");
                assertThat(answer.status()).isEqualTo(503);
                assertThat(answer.error()).isEqualTo("storage_unavailable");
            }
            String evict = "key=unknown fence=" + FENCE + " reason=result-unknown result=unknown";
            String remove = "action=removeWaiter key=unknown waiter=7 reason=result-unknown result=unknown";
            assertThat(lines.all().stream()
                            .filter(line -> line.contains("reason=result-unknown"))
                            .map(line -> line.replaceAll("peer=[^ ]+ ", "")))
                    .containsExactly(
                            "INFO audit action=evictHolder " + evict,
                            "INFO audit action=evictHolder force=true " + evict,
                            "INFO audit " + remove,
                            "INFO audit " + remove);
        }
    }
}
