package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import java.io.IOException;
import java.util.Set;

/** Answers of the routes for FleetLock. */
final class FleetLockAnswers extends AnswerChecks {
    FleetLockAnswers(ApiDocument document, Set<String> seen) {
        super(document, seen);
    }

    void fleetLock() throws IOException {
        try (TestGateway gateway = TestGateway.startWithHttp("--fleetlock-groups=g", "--fleetlock-volatile");
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            String body = "{\"client_params\":{\"id\":\"a/b\",\"group\":\"g\"}}";
            assertThat(http.ask("POST", "/v1/pre-reboot", "fleet-lock-protocol: true\r\n", body)
                            .status())
                    .isEqualTo(200);
            String group = "/v1/fleetlock/groups/g";
            String holder = group + "/holders/a%2Fb?reason=why";
            expect("listGroups", "200", http.get("/v1/fleetlock/groups"));
            expect("getGroup", "200", http.get(group));
            expect("pauseGroup", "200", http.ask("POST", group + "/pause?reason=why", "", ""));
            expect("resumeGroup", "200", http.ask("POST", group + "/resume", "", ""));
            expect("removeHolder", "409 fence_mismatch", http.ask("DELETE", holder + "&fence=7", "", ""));
            expect("removeHolder", "204", http.ask("DELETE", holder, "", ""));
            expect("removeHolder", "404 not_held", http.ask("DELETE", holder, "", ""));
            expect("removeHolder", "400 bad_request", http.ask("DELETE", group + "/holders/a", "", ""));
            expect("pauseGroup", "400 bad_request", http.ask("POST", group + "/pause", "", ""));
            expect("resumeGroup", "400 bad_request", http.ask("POST", group + "/resume?x=%FF", "", ""));
            expect("getGroup", "400 bad_request", http.get(group + "?x=%FF"));
            onUnknownGroups(http, "unknown_group");
        }
        try (TestGateway gateway = TestGateway.startWithHttp("--storage=faulty", "--fleetlock-groups=unavailable");
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            String group = "/v1/fleetlock/groups/unavailable";
            String error = "503 storage_unavailable";
            expect("getGroup", error, http.get(group));
            expect("listGroups", error, http.get("/v1/fleetlock/groups"));
            expect("pauseGroup", error, http.ask("POST", group + "/pause?reason=why", "", ""));
            expect("resumeGroup", error, http.ask("POST", group + "/resume", "", ""));
            expect("removeHolder", error, http.ask("DELETE", group + "/holders/a?reason=why", "", ""));
        }
        try (TestGateway gateway = TestGateway.startWithHttp();
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            expect("listGroups", "404 not_found", http.get("/v1/fleetlock/groups"));
            onUnknownGroups(http, "not_found");
        }
    }

    private void onUnknownGroups(RawHttp http, String error) throws IOException {
        String group = "/v1/fleetlock/groups/other";
        expect("getGroup", "404 " + error, http.get(group));
        expect("pauseGroup", "404 " + error, http.ask("POST", group + "/pause?reason=why", "", ""));
        expect("resumeGroup", "404 " + error, http.ask("POST", group + "/resume", "", ""));
        expect("removeHolder", "404 " + error, http.ask("DELETE", group + "/holders/a?reason=why", "", ""));
    }
}
