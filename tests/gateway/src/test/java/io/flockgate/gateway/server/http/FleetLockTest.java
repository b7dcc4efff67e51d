package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.fleetlock.Answer.AnswerKind;
import io.flockgate.gateway.fleetlock.FleetLockAdmin.FleetLockWatch;
import io.flockgate.testsupport.LogLines;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** FleetLock as a machine sees it, on the wire. */
@Execution(ExecutionMode.CONCURRENT)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FleetLockTest {
    private static final String BODY = FleetNode.body("free", "a");
    private static final String GROUPS = "/v1/fleetlock/groups";

    @AutoClose
    private final TestGateway gateway = TestGateway.startWithHttp(
            "--fleetlock-groups=free=1000,old,full=1,closed",
            "--fleetlock-volatile",
            "--fleetlock-stale-after=1",
            "--fleetlock-path-prefix=/fleet",
            "--fleetlock-window=closed=" + notToday());

    /** A window three days from now, whatever the time is. */
    private static String notToday() {
        String day = ZonedDateTime.now(ZoneOffset.UTC)
                .plusDays(3)
                .getDayOfWeek()
                .name()
                .substring(0, 3);
        return day + "/00:00/1h";
    }

    private FleetNode node(String group, String id) throws IOException {
        return new FleetNode(gateway.httpPort(), group, id);
    }

    /**
     * Every answer is JSON with a kind from the closed set and a value, and a success has only
     * status 200.
     */
    private static void told(AnswerKind kind, Response response) {
        assertThat(response.status()).as("%s", response).isEqualTo(kind.status());
        assertThat(response.member("kind")).isEqualTo(kind.text());
        assertThat(response.member("value")).isNotBlank();
        assertThat(response.header("Content-Type")).contains("application/json");
        assertThat(response.body()).startsWith("{").endsWith("}\n");
    }

    private void ask(AnswerKind kind, String method, String target, String headers, String body) throws IOException {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            told(kind, http.ask(method, target, headers, body));
        }
    }

    @Test
    void outsideItsWindowsAGroupGivesNothingAndSaysWhenItWill() throws Exception {
        try (FleetNode node = node("closed", "a")) {
            Response refused = node.preReboot();
            told(AnswerKind.FAILED_LOCK_OUTSIDE_WINDOW, refused);
            assertThat(refused.member("value")).contains("the next one opens", "00:00 UTC");
            told(AnswerKind.LOCK_NOT_HELD, node.steadyState());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/pre-reboot/",
                "//v1//pre-reboot//",
                "/x/../v1/./pre-reboot",
                "/v1/pre-reboot?x=y",
                "/fleet/v1/pre-reboot",
                "//fleet//v1/pre-reboot/",
                "http://localhost/v1/pre-reboot"
            })
    void thePathIsFoundInEveryWayInWhichClientsJoinIt(String target) throws IOException {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            for (String path : List.of(target, target.replace("pre-reboot", "steady-state"))) {
                Response response = http.ask("POST", path, FleetNode.HEADER + "Content-Type: text/plain\r\n", BODY);
                assertThat(response.status()).isEqualTo(200);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/pre-rebootx", "/pre-reboot", "/v1/pre-reboot/x", "/Fleet/v1/pre-reboot"})
    void otherPathsAreNotFoundAndNeverARedirect(String target) throws IOException {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            Response response = http.ask("POST", target, FleetNode.HEADER, BODY);
            assertThat(response.status()).isEqualTo(404);
            assertThat(response.header("Content-Type")).contains("application/json");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/fleet/", "/fleet/v1/pre-reboot/x", "/fleet//health"})
    void belowThePrefixNothingElseIs(String target) throws IOException {
        ask(AnswerKind.NOT_FOUND, "POST", target, FleetNode.HEADER, BODY);
        ask(AnswerKind.NOT_FOUND, "GET", target, "", "");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "fleet-lock-protocol:\r\n",
                "fleet-lock-protocol: 1\r\n",
                "fleet-lock-protocol: false\r\n",
                "fleet-lock-protocol: TRUE\r\n",
                "fleet-lock-protocol: true,true\r\n",
                "fleet-lock-protocol: true\r\nfleet-lock-protocol: true\r\n",
                "fleet-lock-protocol: true\r\nfleet-lock-protocol: false\r\n",
                "x-fleet-lock-protocol: true\r\n"
            })
    void withoutTheHeaderNothingIsDone(String headers) throws IOException {
        ask(AnswerKind.MISSING_PROTOCOL_HEADER, "POST", "/v1/pre-reboot", headers, FleetNode.body("full", "a"));
        ask(AnswerKind.LOCK_NOT_HELD, "POST", "/v1/steady-state", FleetNode.HEADER, FleetNode.body("full", "a"));
    }

    @Test
    void aBodyOf16KiBIsReadAndALongerOneIsNot() throws IOException {
        String padded = BODY + " ".repeat(16 * 1024 - BODY.length());
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            Response refused = http.ask("POST", "/v1/steady-state", FleetNode.HEADER, padded + " ");
            told(AnswerKind.BODY_TOO_LARGE, refused);
            assertThat(refused.reason()).isEqualTo("Content Too Large");
        }
        ask(AnswerKind.BODY_TOO_LARGE, "POST", "/v1/steady-state", FleetNode.HEADER, " ".repeat(1 << 20));
        String chunk = Integer.toHexString(padded.length()) + "\r\n" + padded + "\r\n1\r\n \r\n0\r\n\r\n";
        ask(
                AnswerKind.BODY_TOO_LARGE,
                "POST",
                "/v1/steady-state",
                FleetNode.HEADER + "Transfer-Encoding: chunked\r\n",
                chunk);
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            assertThat(http.ask("POST", "/v1/steady-state", FleetNode.HEADER, padded)
                            .status())
                    .isEqualTo(200);
            assertThat(http.ask("POST", "/v1/steady-state", FleetNode.HEADER, BODY)
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void aBodyThatDoesNotComeWholeIsAnsweredInTheSameForm() throws IOException {
        try (TestGateway impatient =
                        TestGateway.startWithHttp("--fleetlock-groups=g", "--fleetlock-volatile", "--read-timeout=1");
                RawHttp http = RawHttp.of(impatient.httpPort())) {
            http.send(RawHttp.request("POST", "/v1/pre-reboot", FleetNode.HEADER + "Content-Length: 100\r\n", "{"));
            told(AnswerKind.INVALID_BODY, http.lastResponse());
        }
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            http.send(RawHttp.request(
                    "POST", "/v1/pre-reboot", FleetNode.HEADER + "Transfer-Encoding: chunked\r\n", "zz\r\n"));
            told(AnswerKind.INVALID_BODY, http.lastResponse());
        }
    }

    @Test
    void aSlotHeldForLongIsPointedOut() throws Exception {
        try (FleetNode node = node("old", "a");
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            told(AnswerKind.LOCK_GRANTED, node.preReboot());
            Response group = Polling.until(
                    () -> http.get(GROUPS + "/old"), report -> report.body().contains("\"stale\":true"));
            assertThat(group.body()).contains("\"held\":1,\"stale\":1,");
            assertThat(http.get("/metrics").body())
                    .contains("flockgate_fleetlock_stale_holders{group=\"old\"} 1.0")
                    .containsPattern("flockgate_fleetlock_oldest_hold_seconds\\{group=\"old\"} [1-9]");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a?reason=%20", "a?reason=x&fence=-1", "%0a?reason=x", "%ff?reason=x"})
    void anOrderThatCannotBeReadChangesNothing(String order) throws Exception {
        try (FleetNode node = node("free", "a");
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            assertThat(node.preReboot().status()).isEqualTo(200);
            Response refused = http.ask("DELETE", GROUPS + "/free/holders/" + order, "", "");
            assertThat(refused.error()).isEqualTo("bad_request");
        }
    }

    @Test
    void slotsOfAGroupTakenOutOfTheConfigurationAreShownAndCanBeReleased(@TempDir Path directory) throws Exception {
        String data = "--data-dir=" + directory;
        try (TestGateway before = TestGateway.startWithHttp("--fleetlock-groups=g", data);
                FleetNode node = new FleetNode(before.httpPort(), "g", "a")) {
            told(AnswerKind.LOCK_GRANTED, node.preReboot());
        }
        try (LogLines log = LogLines.ofAllThreads(FleetLockWatch.class);
                TestGateway after = TestGateway.startWithHttp("--fleetlock-groups=other", data);
                FleetNode node = new FleetNode(after.httpPort(), "g", "a");
                RawHttp http = RawHttp.of(after.httpPort())) {
            told(AnswerKind.UNKNOWN_GROUP, node.preReboot());
            String warning = "WARN machines hold slots of a fleetlock group that is not configured group=g held=1";
            Polling.until("a warning", () -> log.all().contains(warning));
            assertThat(http.get(GROUPS).body())
                    .contains("{\"group\":\"g\",\"slots\":0,\"configured\":false,\"held\":1,");
            assertThat(http.get(GROUPS + "/g").body()).contains("{\"id\":\"a\",");
            assertThat(http.ask("DELETE", GROUPS + "/g/holders/a?reason=renamed", "", "")
                            .status())
                    .isEqualTo(204);
            assertThat(http.get(GROUPS).body()).doesNotContain("\"g\"");
        }
    }

    @Test
    void metricsTellOfGroupsThatAreConfiguredOnly() throws Exception {
        try (TestGateway counted = TestGateway.startWithHttp("--fleetlock-groups=one,two=2", "--fleetlock-volatile");
                FleetNode a = new FleetNode(counted.httpPort(), "one", "a");
                FleetNode b = new FleetNode(counted.httpPort(), "one", "b");
                FleetNode stranger = new FleetNode(counted.httpPort(), "no-such-group", "b");
                RawHttp http = RawHttp.of(counted.httpPort())) {
            told(AnswerKind.LOCK_GRANTED, a.preReboot());
            told(AnswerKind.FAILED_LOCK_SEMAPHORE_FULL, b.preReboot());
            told(AnswerKind.UNKNOWN_GROUP, stranger.preReboot());
            assertThat(http.ask("POST", GROUPS + "/two/pause?reason=x", "", "").status())
                    .isEqualTo(200);
            String requests =
                    "flockgate_fleetlock_requests_total{group=\"%s\",operation=\"pre_reboot\",outcome=\"%s\"} 1.0";
            assertThat(http.get("/metrics").body())
                    .contains(
                            requests.formatted("one", "lock_granted"),
                            requests.formatted("one", "failed_lock_semaphore_full"),
                            requests.formatted("(unknown)", "unknown_group"),
                            "flockgate_fleetlock_slots{group=\"two\"} 2.0",
                            "flockgate_fleetlock_held{group=\"one\"} 1.0",
                            "flockgate_fleetlock_held{group=\"two\"} 0.0",
                            "flockgate_fleetlock_paused{group=\"two\"} 1.0",
                            "flockgate_fleetlock_window_open{group=\"two\"} 1.0",
                            "flockgate_fleetlock_cas_retries_total 0.0")
                    .doesNotContain("no-such-group");
        }
    }
}
