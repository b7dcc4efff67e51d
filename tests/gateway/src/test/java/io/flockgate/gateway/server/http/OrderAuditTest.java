package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.log.Audit;
import io.flockgate.gateway.server.FaultyStorage;
import io.flockgate.testsupport.LogLines;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The audit lines of orders. AuditTest has their bounds. */
class OrderAuditTest {
    private static final String FENCE = "18a6c3f2b91d4007";

    @Test
    void anOrderIsALineWithItsResultEachTime() throws Exception {
        String key = "/v1/keys/" + FaultyStorage.UNKNOWN;
        String holder = key + "/holders/" + FENCE;
        String groups = "/v1/fleetlock/groups/";
        try (LogLines lines = LogLines.ofAllThreads(Audit.class);
                TestGateway gateway =
                        TestGateway.startWithHttp("--storage=faulty", "--fleetlock-groups=unavailable,closed,g");
                RawHttp operator = RawHttp.of(gateway.httpPort())) {
            for (String order : List.of(
                    "503 DELETE " + holder + "?",
                    "503 DELETE " + holder + "?force=true&",
                    "503 DELETE " + key + "/queue/7?",
                    "503 DELETE " + key + "/queue/7?",
                    "503 POST " + key + "/limit?limit=2&",
                    "503 POST " + groups + "unavailable/pause?",
                    "503 DELETE " + groups + "unavailable/holders/a?",
                    "503 POST " + groups + "closed/pause?",
                    "200 POST " + groups + "g/pause?",
                    "404 DELETE " + groups + "g/holders/a?")) {
                String[] parts = order.split(" ", 3);
                Response answer = operator.ask(parts[1], parts[2] + "reason=order%20audit", "", "");
                assertThat(answer.status()).as(order).isEqualTo(Integer.parseInt(parts[0]));
            }
            String evict = "key=unknown fence=" + FENCE + " reason=order audit result=unknown";
            String remove = "action=removeWaiter key=unknown waiter=7 reason=order audit result=unknown";
            assertThat(lines.all().stream()
                            .filter(line -> line.contains("reason=order audit"))
                            .map(line -> line.replaceAll("peer=[^ ]+ ", "")))
                    .containsExactly(
                            "INFO audit action=evictHolder " + evict,
                            "INFO audit action=evictHolder force=true " + evict,
                            "INFO audit " + remove,
                            "INFO audit " + remove,
                            "INFO audit action=setLimit key=unknown limit=2 reason=order audit result=unknown",
                            "INFO audit action=pauseGroup group=unavailable reason=order audit result=unknown",
                            "INFO audit action=removeHolder id=a group=unavailable reason=order audit result=unknown",
                            "INFO audit action=pauseGroup group=closed reason=order audit result=failed",
                            "INFO audit action=pauseGroup group=g reason=order audit result=done",
                            "INFO audit action=removeHolder id=a group=g reason=order audit result=not_member");
        }
    }
}
