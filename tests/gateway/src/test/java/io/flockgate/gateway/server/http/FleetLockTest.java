package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.fleetlock.AnswerKind;
import java.io.IOException;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** FleetLock as a machine sees it, on the wire. */
@Execution(ExecutionMode.CONCURRENT)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FleetLockTest {
    private static final String BODY = FleetNode.body("free", "a");

    private TestGateway gateway;

    @BeforeAll
    void start() {
        gateway = TestGateway.startWithHttp(
                "--fleetlock-groups=free=1000,one,two=2,Two=2,full=1,closed,case=2",
                "--fleetlock-volatile",
                "--fleetlock-path-prefix=/fleet",
                "--fleetlock-window=closed=" + notToday());
    }

    /** A window three days from now, whatever the time is. */
    private static String notToday() {
        String day = ZonedDateTime.now(ZoneOffset.UTC)
                .plusDays(3)
                .getDayOfWeek()
                .name()
                .substring(0, 3);
        return day + "/00:00/1h";
    }

    @AfterAll
    void stop() {
        gateway.close();
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
    void aSlotIsTakenKeptAndGivenBack() throws Exception {
        try (FleetNode a = node("one", "a");
                FleetNode b = node("one", "b")) {
            told(AnswerKind.LOCK_NOT_HELD, a.steadyState());
            told(AnswerKind.LOCK_GRANTED, a.preReboot());
            told(AnswerKind.LOCK_ALREADY_HELD, a.preReboot());
            told(AnswerKind.LOCK_ALREADY_HELD, a.preReboot());
            told(AnswerKind.FAILED_LOCK_SEMAPHORE_FULL, b.preReboot());
            told(AnswerKind.LOCK_NOT_HELD, b.steadyState());
            told(AnswerKind.LOCK_ALREADY_HELD, a.preReboot());
            told(AnswerKind.LOCK_RELEASED, a.steadyState());
            told(AnswerKind.LOCK_NOT_HELD, a.steadyState());
            told(AnswerKind.LOCK_GRANTED, b.preReboot());
            told(AnswerKind.LOCK_RELEASED, b.steadyState());
        }
    }

    @Test
    void idsAndGroupsThatDifferInCaseOnlyAreDifferent() throws Exception {
        try (FleetNode lower = node("two", "n");
                FleetNode upper = node("two", "N");
                FleetNode third = node("two", "x");
                FleetNode other = node("Two", "x")) {
            told(AnswerKind.LOCK_GRANTED, lower.preReboot());
            told(AnswerKind.LOCK_GRANTED, upper.preReboot());
            told(AnswerKind.FAILED_LOCK_SEMAPHORE_FULL, third.preReboot());
            told(AnswerKind.LOCK_GRANTED, other.preReboot());
            told(AnswerKind.LOCK_RELEASED, upper.steadyState());
            told(AnswerKind.LOCK_GRANTED, third.preReboot());
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
                "/v1/pre-reboot",
                "/v1/pre-reboot/",
                "//v1/pre-reboot",
                "//v1//pre-reboot//",
                "/./v1/pre-reboot",
                "/x/../v1/pre-reboot",
                "/v1/pre-reboot?x=y",
                "/fleet/v1/pre-reboot",
                "/fleet//v1/pre-reboot/",
                "//fleet/v1/pre-reboot",
                "http://localhost/v1/pre-reboot"
            })
    void thePathIsFoundInEveryWayInWhichClientsJoinIt(String target) throws IOException {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            assertThat(http.ask("POST", target, FleetNode.HEADER, BODY).status())
                    .isEqualTo(200);
            assertThat(http.ask("POST", target.replace("pre-reboot", "steady-state"), FleetNode.HEADER, BODY)
                            .status())
                    .isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/pre-rebootx",
                "/v1",
                "/pre-reboot",
                "/v1/pre-reboot/x",
                "/Fleet/v1/pre-reboot",
                "/V1/pre-reboot",
                "/v2/pre-reboot"
            })
    void otherPathsAreNotFoundAndNeverARedirect(String target) throws IOException {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            Response response = http.ask("POST", target, FleetNode.HEADER, BODY);
            assertThat(response.status()).isEqualTo(404);
            assertThat(response.header("Content-Type")).contains("application/json");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/fleet/", "/fleet/v1", "/fleet/v1/pre-reboot/x", "/fleet//health"})
    void belowThePrefixNothingElseIs(String target) throws IOException {
        ask(AnswerKind.NOT_FOUND, "POST", target, FleetNode.HEADER, BODY);
        ask(AnswerKind.NOT_FOUND, "GET", target, "", "");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "PUT", "OPTIONS", "DELETE", "PATCH", "XYZ"})
    void otherMethodsAreNotAllowed(String method) throws IOException {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            Response response = http.ask(method, "/v1/pre-reboot", FleetNode.HEADER, "");
            told(AnswerKind.METHOD_NOT_ALLOWED, response);
            assertThat(response.header("Allow")).contains("POST");
        }
    }

    @Test
    void headIsAnsweredWithoutABody() throws IOException {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            Response response = http.ask("HEAD", "/v1/steady-state", FleetNode.HEADER, "");
            assertThat(response.status()).isEqualTo(405);
            assertThat(response.body()).isEmpty();
            assertThat(http.ask("POST", "/v1/steady-state", FleetNode.HEADER, BODY)
                            .status())
                    .isEqualTo(200);
        }
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
        ask(AnswerKind.MISSING_PROTOCOL_HEADER, "POST", "/v1/pre-reboot", headers, "not even JSON");
        ask(AnswerKind.LOCK_NOT_HELD, "POST", "/v1/steady-state", FleetNode.HEADER, FleetNode.body("full", "a"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Fleet-Lock-Protocol: true\r\n",
                "FLEET-LOCK-PROTOCOL:true\r\n",
                "fleet-lock-protocol:  true \r\n"
            })
    void theHeadersNameIsReadInAnyCase(String header) throws IOException {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            assertThat(http.ask("POST", "/v1/steady-state", header, BODY).status())
                    .isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Content-Type: application/x-www-form-urlencoded\r\n",
                "Content-Type: text/plain\r\n",
                "Content-Type: application/json; charset=utf-8\r\n",
                "Content-Type: multipart/form-data\r\n",
                "Content-Type: ;\r\n"
            })
    void anyContentTypeIsTaken(String header) throws IOException {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            assertThat(http.ask("POST", "/v1/steady-state", header + FleetNode.HEADER, BODY)
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void aBodyMayComeInChunksAndOnlyWhenAskedFor() throws IOException {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            String chunks = Integer.toHexString(10) + "\r\n" + BODY.substring(0, 10) + "\r\n"
                    + Integer.toHexString(BODY.length() - 10) + "\r\n" + BODY.substring(10) + "\r\n0\r\n\r\n";
            told(
                    AnswerKind.LOCK_NOT_HELD,
                    http.ask(
                            "POST",
                            "/v1/steady-state",
                            FleetNode.HEADER + "Transfer-Encoding: chunked\r\n",
                            chunks.replace("\"a\"", "\"c\"")));
            http.send(RawHttp.request(
                    "POST",
                    "/v1/steady-state",
                    FleetNode.HEADER + "Expect: 100-continue\r\nContent-Length: " + BODY.length() + "\r\n",
                    ""));
            assertThat(http.response(true).status()).isEqualTo(100);
            http.send(BODY);
            assertThat(http.response().status()).isEqualTo(200);
        }
    }

    @Test
    void aBodyOf16KiBIsReadAndALongerOneIsNot() throws IOException {
        String padded = BODY + " ".repeat(16 * 1024 - BODY.length());
        ask(AnswerKind.BODY_TOO_LARGE, "POST", "/v1/steady-state", FleetNode.HEADER, padded + " ");
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

    @ParameterizedTest
    @CsvSource({
        "'', INVALID_BODY",
        "[], INVALID_BODY",
        "{}, INVALID_BODY",
        "'{\"client_params\":{\"group\":\"one\"}}', INVALID_ID",
        "'{\"client_params\":{\"id\":\"\",\"group\":\"one\"}}', INVALID_ID",
        "'{\"client_params\":{\"id\":\"a\"}}', INVALID_GROUP",
        "'{\"client_params\":{\"id\":\"a\",\"group\":\"one\\n\"}}', INVALID_GROUP",
        "'{\"client_params\":{\"id\":\"a\",\"group\":\"o/ne\"}}', INVALID_GROUP",
        "'{\"client_params\":{\"id\":\"a\",\"group\":\"other\"}}', UNKNOWN_GROUP",
        "'{\"client_params\":{\"id\":\"a\",\"group\":\"ONE\"}}', UNKNOWN_GROUP",
    })
    void eachFailureHasItsOwnKind(String body, AnswerKind kind) throws IOException {
        ask(kind, "POST", "/v1/pre-reboot", FleetNode.HEADER, body);
        ask(kind, "POST", "/v1/steady-state", FleetNode.HEADER, body);
    }

    @Test
    void oddIdsAreTakenAsTheyAre() throws Exception {
        for (String id :
                new String[] {"a b", "a/b", "../../x", "a\\\"b", "%2e", "\u00c3\u00a4", "\\ud83d\\udd12", "<b>"}) {
            try (FleetNode node = node("free", id)) {
                told(AnswerKind.LOCK_GRANTED, node.preReboot());
                told(AnswerKind.LOCK_ALREADY_HELD, node.preReboot());
                told(AnswerKind.LOCK_RELEASED, node.steadyState());
            }
        }
    }

    @Test
    void withoutGroupsThereIsNoFleetLock() throws IOException {
        try (TestGateway plain = TestGateway.startWithHttp();
                RawHttp http = RawHttp.of(plain.httpPort())) {
            assertThat(http.ask("POST", "/v1/pre-reboot", FleetNode.HEADER, BODY)
                            .status())
                    .isEqualTo(404);
            Response unclean = http.ask("POST", "//v1/pre-reboot/", FleetNode.HEADER, BODY);
            assertThat(unclean.status()).isEqualTo(307);
            assertThat(unclean.header("Location")).contains("/v1/pre-reboot/");
            assertThat(http.ask("POST", "/v1/pre-reboot/", FleetNode.HEADER, BODY)
                            .status())
                    .isEqualTo(404);
        }
    }
}
