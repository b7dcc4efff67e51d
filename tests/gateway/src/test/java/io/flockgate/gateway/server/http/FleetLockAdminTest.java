package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Operators' reports and orders, and the answers to machines after them. */
class FleetLockAdminTest {
    private static final String GROUPS = "/v1/fleetlock/groups";

    private TestGateway gateway;
    private RawHttp http;

    @BeforeEach
    void start() throws IOException {
        gateway = TestGateway.startWithHttp(
                "--fleetlock-groups=default,workers=2",
                "--fleetlock-volatile",
                "--node-name=gate-1",
                "--fleetlock-stale-after=1");
        http = RawHttp.of(gateway.httpPort());
    }

    @AfterEach
    void stop() throws IOException {
        http.close();
        gateway.close();
    }

    @CanIgnoreReturnValue
    private Response preReboot(String group, String id) throws IOException {
        return http.ask("POST", "/v1/pre-reboot", FleetNode.HEADER, FleetNode.body(group, id));
    }

    @CanIgnoreReturnValue
    private Response steadyState(String group, String id) throws IOException {
        return http.ask("POST", "/v1/steady-state", FleetNode.HEADER, FleetNode.body(group, id));
    }

    @Test
    void groupsAreListedByNameAlsoThoseThatNobodyHasJoined() throws IOException {
        assertThat(http.get(GROUPS).body())
                .isEqualTo("{\"groups\":[{\"group\":\"default\",\"slots\":1,\"held\":0,\"stale\":0,\"paused\":false,"
                        + "\"window_open\":true},{\"group\":\"workers\",\"slots\":2,\"held\":0,\"stale\":0,"
                        + "\"paused\":false,\"window_open\":true}]}\n");
    }

    @Test
    void holdersAreListedWithAllThatIsKnownOfThem() throws IOException {
        preReboot("workers", "b");
        preReboot("workers", "a");

        Response group = http.get(GROUPS + "/workers");

        assertThat(group.body())
                .containsPattern(
                        "\"holders\":\\[\\{\"id\":\"a\",\"fence\":2,\"since\":\"20[-0-9]+T[:0-9]+Z\",\"age_s\":\\d+,"
                                + "\"last_seen\":\"20[-0-9]+T[:0-9]+Z\",\"stale\":(true|false),\"address\":\"127.0.0.1\","
                                + "\"gateway\":\"gate-1\"},\\{\"id\":\"b\",\"fence\":1,");
    }

    @Test
    void aSlotHeldForLongIsPointedOut() throws Exception {
        preReboot("default", "a");
        Response group = Polling.until(
                () -> http.get(GROUPS + "/default"), report -> report.body().contains("\"stale\":true"));
        assertThat(group.body()).contains("\"held\":1,\"stale\":1,", "\"stale\":true");
        assertThat(http.get("/metrics").body())
                .contains("flockgate_fleetlock_stale_holders{group=\"default\"} 1.0")
                .containsPattern("flockgate_fleetlock_oldest_hold_seconds\\{group=\"default\"} [1-9]");
    }

    @Test
    void aSlotTakenBackIsFreeForOthersAndItsHolderIsANewcomer() throws IOException {
        preReboot("default", "a");
        assertThat(preReboot("default", "b").status()).isEqualTo(409);

        assertThat(http.ask("DELETE", GROUPS + "/default/holders/a?reason=sold+it", "", "")
                        .status())
                .isEqualTo(204);

        assertThat(preReboot("default", "b").member("kind")).isEqualTo("lock_granted");
        assertThat(preReboot("default", "a").member("kind")).isEqualTo("failed_lock_semaphore_full");
        assertThat(steadyState("default", "a").member("kind")).isEqualTo("lock_not_held");
        assertThat(http.get("/metrics").body()).contains("flockgate_fleetlock_force_unlocks_total 1.0");
    }

    @Test
    void aSlotIsTakenBackOnlyFromTheStayThatWasLookedAt() throws IOException {
        preReboot("default", "a");
        steadyState("default", "a");
        preReboot("default", "a");
        String holder = GROUPS + "/default/holders/a?reason=x&fence=";

        Response mismatch = http.ask("DELETE", holder + "1", "", "");
        assertThat(mismatch.status()).isEqualTo(409);
        assertThat(mismatch.error()).isEqualTo("fence_mismatch");
        assertThat(http.ask("DELETE", holder + "2", "", "").status()).isEqualTo(204);
    }

    @Test
    void anyIdCanBeNamedInThePath() throws IOException {
        preReboot("default", "a/b ?#%\u00c3\u00a4");

        assertThat(http.ask("DELETE", GROUPS + "/default/holders/a%2Fb%20%3F%23%25%C3%A4?reason=x", "", "")
                        .status())
                .isEqualTo(204);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/default/holders/a",
                "/default/holders/a?reason=",
                "/default/holders/a?reason=%20",
                "/default/holders/a?reason=x&fence=-1",
                "/default/holders/a?reason=x&fence=x",
                "/default/holders/%0a?reason=x",
                "/default/holders/%ff?reason=x"
            })
    void anOrderThatCannotBeReadChangesNothing(String path) throws IOException {
        preReboot("default", "a");

        assertThat(http.ask("DELETE", GROUPS + path, "", "").error()).isEqualTo("bad_request");
        assertThat(preReboot("default", "a").member("kind")).isEqualTo("lock_already_held");
    }

    @ParameterizedTest
    @CsvSource({"DELETE, /default/holders/a", "POST, /default/pause", "POST, /default/resume"})
    void aReasonHasUpTo256BytesOfUtf8(String method, String path) throws IOException {
        preReboot("default", "a");
        String longest = GROUPS + path + "?reason=" + "%C3%A4".repeat(128);

        Response refused = http.ask(method, longest + "x", "", "");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.member("detail")).isEqualTo("reason too long (max 256 bytes)");
        Response undecodable = http.ask(method, GROUPS + path + "?reason=%ff", "", "");
        assertThat(undecodable.member("detail")).isEqualTo("malformed query: reason must be UTF-8, percent-encoded");
        assertThat(http.ask(method, longest, "", "").status()).isBetween(200, 204);
    }

    @Test
    void aPausedGroupLetsNobodyNewIn() throws IOException {
        preReboot("workers", "a");

        Response paused = http.ask("POST", GROUPS + "/workers/pause?reason=kernel%20panics", "", "");
        assertThat(paused.body()).contains("\"paused\":true,\"paused_since\":\"", "\"pause_reason\":\"kernel panics\"");
        Response refused = preReboot("workers", "b");
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.member("kind")).isEqualTo("failed_lock_group_paused");
        assertThat(preReboot("workers", "a").member("kind")).isEqualTo("lock_already_held");
        assertThat(steadyState("workers", "a").member("kind")).isEqualTo("lock_released");
        assertThat(preReboot("default", "b").member("kind")).isEqualTo("lock_granted");

        assertThat(http.ask("POST", GROUPS + "/workers/resume", "", "").body()).contains("\"paused\":false");
        assertThat(preReboot("workers", "b").member("kind")).isEqualTo("lock_granted");
    }

    @Test
    void aDrainedGatewayLetsNobodyNewInAndLeavesHoldersAlone() throws IOException {
        preReboot("workers", "a");
        assertThat(http.ask("POST", "/v1/drain?reason=kernel", "", "").status()).isEqualTo(204);

        Response refused = preReboot("workers", "b");
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.member("kind")).isEqualTo("draining");
        assertThat(refused.member("value")).contains("drains this server");
        assertThat(preReboot("workers", "a").member("kind")).isEqualTo("lock_already_held");
        assertThat(http.get(GROUPS + "/workers").body())
                .contains("\"held\":1,", "\"paused\":false,\"window_open\":true");
        assertThat(steadyState("workers", "a").member("kind")).isEqualTo("lock_released");
        assertThat(preReboot("workers", "a").member("kind")).isEqualTo("draining");
        assertThat(http.get("/metrics").body())
                .contains("group=\"workers\",operation=\"pre_reboot\",outcome=\"draining\"} 2.0");

        assertThat(http.ask("POST", "/v1/undrain", "", "").status()).isEqualTo(204);
        assertThat(preReboot("workers", "b").member("kind")).isEqualTo("lock_granted");
    }

    @Test
    void metricsTellOfGroupsThatAreConfiguredOnly() throws IOException {
        preReboot("default", "a");
        preReboot("default", "b");
        preReboot("no-such-group", "b");
        assertThat(http.ask("POST", "/v1/pre-reboot", FleetNode.HEADER, "x").status())
                .isEqualTo(400);
        assertThat(http.ask("POST", GROUPS + "/workers/pause?reason=x", "", "").status())
                .isEqualTo(200);

        assertThat(http.get("/metrics").body())
                .contains(
                        "flockgate_fleetlock_requests_total{group=\"default\",operation=\"pre_reboot\",outcome=\"lock_granted\"} 1.0",
                        "flockgate_fleetlock_requests_total{group=\"default\",operation=\"pre_reboot\",outcome=\"failed_lock_semaphore_full\"} 1.0",
                        "flockgate_fleetlock_requests_total{group=\"(unknown)\",operation=\"pre_reboot\",outcome=\"unknown_group\"} 1.0",
                        "flockgate_fleetlock_requests_total{group=\"(unknown)\",operation=\"pre_reboot\",outcome=\"invalid_body\"} 1.0",
                        "flockgate_fleetlock_slots{group=\"default\"} 1.0",
                        "flockgate_fleetlock_slots{group=\"workers\"} 2.0",
                        "flockgate_fleetlock_held{group=\"default\"} 1.0",
                        "flockgate_fleetlock_held{group=\"workers\"} 0.0",
                        "flockgate_fleetlock_paused{group=\"workers\"} 1.0",
                        "flockgate_fleetlock_window_open{group=\"workers\"} 1.0",
                        "flockgate_fleetlock_cas_retries_total 0.0")
                .doesNotContain("no-such-group");
    }
}
