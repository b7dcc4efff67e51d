package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** FleetLock on a storage that fails in every way. */
@Execution(ExecutionMode.CONCURRENT)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FleetLockStorageFailureTest {
    @AutoClose
    private final TestGateway gateway =
            TestGateway.startWithHttp("--storage=faulty", "--fleetlock-groups=well,unavailable,closed,silent,failing");

    private Response ask(String path, String group) throws IOException {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            return http.ask("POST", path, FleetNode.HEADER, FleetNode.body(group, "a"));
        }
    }

    @ParameterizedTest
    @CsvSource({"unavailable, 503, backend_unavailable", "closed, 503, shutting_down", "failing, 500, internal_error"})
    void aFailureIsReportedWithoutItsDetails(String group, int status, String kind) throws IOException {
        for (String path : new String[] {"/v1/pre-reboot", "/v1/steady-state"}) {
            Response response = ask(path, group);
            assertThat(response.status()).isEqualTo(status);
            assertThat(response.member("kind")).isEqualTo(kind);
            assertThat(response.member("value")).isNotBlank();
            assertThat(response.body()).doesNotContain("s3cret");
        }
        assertThat(ask("/v1/steady-state", "well").status()).isEqualTo(200);
    }

    @Test
    void aSilentStorageIsAnsweredForWithinFiveSeconds() throws IOException {
        long begun = System.nanoTime();
        Response response = ask("/v1/pre-reboot", "silent");
        assertThat(response.member("kind")).isEqualTo("backend_unavailable");
        // Far below the half hour for which clients wait, with room for a busy machine.
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(9));
    }

    @Test
    void operatorsSeeThatTheStorageIsAway() throws IOException {
        String groups = "/v1/fleetlock/groups";
        String group = groups + "/unavailable";
        ApiDocument document = ApiDocument.published();
        try (TestGateway away = TestGateway.startWithHttp("--storage=faulty", "--fleetlock-groups=unavailable");
                RawHttp http = RawHttp.of(away.httpPort())) {
            for (String request : List.of(
                    "GET " + group,
                    "GET " + groups,
                    "POST " + group + "/pause?reason=why",
                    "POST " + group + "/resume",
                    "DELETE " + group + "/holders/a?reason=why")) {
                String[] parts = request.split(" ", 2);
                Response answer = http.ask(parts[0], parts[1], "", "");
                assertThat(answer.error()).as(request).isEqualTo("storage_unavailable");
                document.check(parts[0], parts[1], answer);
            }
        }
    }

    @Test
    void metricsAreThereWithoutWhatCouldNotBeRead() throws IOException {
        try (TestGateway broken =
                        TestGateway.startWithHttp("--storage=faulty", "--fleetlock-groups=well,unavailable,failing");
                RawHttp http = RawHttp.of(broken.httpPort())) {
            assertThat(http.ask("POST", "/v1/pre-reboot", FleetNode.HEADER, FleetNode.body("unavailable", "a"))
                            .status())
                    .isEqualTo(503);
            String metrics = http.get("/metrics").body();
            assertThat(metrics)
                    .contains("flockgate_fleetlock_held{group=\"unavailable\"} NaN")
                    .contains("flockgate_fleetlock_held{group=\"failing\"} NaN")
                    .contains("flockgate_fleetlock_held{group=\"well\"} 0.0")
                    .contains("flockgate_fleetlock_backend_errors_total 1.0");
        }
    }
}
