package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.log.Audit;
import io.flockgate.gateway.server.FaultyStorage;
import io.flockgate.testsupport.LogLines;
import java.util.List;
import org.assertj.core.api.Condition;
import org.junit.jupiter.api.Test;

/** The audit lines of orders that the storage fails. */
class OrderAuditTest {
    private static final String FENCE = "18a6c3f2b91d4007";

    /** That many failed orders of a client have their own lines in a second. */
    private static final int MAX_FAILED_ORDERS = 20;

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

    @Test
    void failedOrdersAreCountedEvenIfTheGatewayStopsAtOnce() throws Exception {
        int orders = 2 * MAX_FAILED_ORDERS;
        try (LogLines lines = LogLines.ofAllThreads(Audit.class)) {
            try (TestGateway gateway = TestGateway.startWithHttp("--storage=faulty");
                    RawHttp operator = RawHttp.of(gateway.httpPort())) {
                String holder = "/v1/keys/" + FaultyStorage.NOT_DONE + "/holders/" + FENCE;
                for (int i = 0; i < orders; i++) {
                    assertThat(operator.ask("DELETE", holder + "?reason=not-done", "", "")
                                    .status())
                            .isEqualTo(503);
                }
            }
            List<String> audited = lines.all().stream()
                    .filter(line -> line.contains("reason=not-done"))
                    .toList();
            assertThat(audited)
                    .allMatch(line -> line.contains("key=not-done fence=" + FENCE + " reason=not-done result=failed"));
            assertThat(audited.stream().mapToInt(OrderAuditTest::count).sum()).isEqualTo(orders);
        }
    }

    private static int count(String line) {
        return line.contains(" count=") ? Integer.parseInt(line.replaceAll(".* count=", "")) : 1;
    }

    @Test
    void anOrderOnAGroupThatMayHaveBeenCarriedOutIsALineEachTime() throws Exception {
        try (LogLines lines = LogLines.ofAllThreads(Audit.class);
                TestGateway gateway =
                        TestGateway.startWithHttp("--storage=faulty", "--fleetlock-groups=unavailable,closed");
                RawHttp operator = RawHttp.of(gateway.httpPort())) {
            int orders = 2 * MAX_FAILED_ORDERS;
            for (int i = 0; i < orders; i++) {
                String group = "/v1/fleetlock/groups/unavailable";
                assertThat(operator.ask("POST", group + "/pause?reason=pause-" + i, "", "")
                                .status())
                        .isEqualTo(503);
                assertThat(operator.ask("DELETE", group + "/holders/a?reason=remove-" + i, "", "")
                                .status())
                        .isEqualTo(503);
            }
            assertThat(operator.ask("POST", "/v1/fleetlock/groups/closed/pause?reason=closed", "", "")
                            .status())
                    .isEqualTo(503);
            for (int i = 0; i < orders; i++) {
                assertThat(lines.all())
                        .areExactly(1, endingWith("group=unavailable reason=pause-" + i + " result=unknown"))
                        .areExactly(1, endingWith("group=unavailable reason=remove-" + i + " result=unknown"));
            }
            assertThat(lines.all()).areExactly(1, endingWith("group=closed reason=closed result=failed"));
        }
    }

    private static Condition<String> endingWith(String end) {
        return new Condition<>(line -> line.endsWith(end), "ends with %s", end);
    }
}
