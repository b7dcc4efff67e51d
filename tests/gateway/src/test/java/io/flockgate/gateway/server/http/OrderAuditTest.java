package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.log.Audit;
import io.flockgate.gateway.server.FaultyStorage;
import io.flockgate.testsupport.LogLines;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The audit lines of orders that the storage fails. AuditTest has their bounds. */
class OrderAuditTest {
    private static final String FENCE = "18a6c3f2b91d4007";

    @Test
    void anOrderThatMayHaveBeenCarriedOutIsALineEachTime() throws Exception {
        String key = "/v1/keys/" + FaultyStorage.UNKNOWN;
        String holder = key + "/holders/" + FENCE;
        String group = "/v1/fleetlock/groups/unavailable";
        try (LogLines lines = LogLines.ofAllThreads(Audit.class);
                TestGateway gateway =
                        TestGateway.startWithHttp("--storage=faulty", "--fleetlock-groups=unavailable,closed");
                RawHttp operator = RawHttp.of(gateway.httpPort())) {
            for (String order : List.of(
                    "DELETE " + holder + "?",
                    "DELETE " + holder + "?force=true&",
                    "DELETE " + key + "/queue/7?",
                    "DELETE " + key + "/queue/7?",
                    "POST " + group + "/pause?",
                    "DELETE " + group + "/holders/a?",
                    "POST /v1/fleetlock/groups/closed/pause?")) {
                String[] parts = order.split(" ", 2);
                Response answer = operator.ask(parts[0], parts[1] + "reason=result-unknown", "", "");
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
                            "INFO audit " + remove,
                            "INFO audit action=pauseGroup group=unavailable reason=result-unknown result=unknown",
                            "INFO audit action=removeHolder id=a group=unavailable reason=result-unknown result=unknown",
                            "INFO audit action=pauseGroup group=closed reason=result-unknown result=failed");
        }
    }
}
