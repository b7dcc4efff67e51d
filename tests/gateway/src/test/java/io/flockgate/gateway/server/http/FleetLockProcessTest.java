package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** FleetLock of a process with a disk: slots outlive it. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class FleetLockProcessTest {
    private static final String UNAVAILABLE = "backend_unavailable";
    private static final Map<String, String> IF_DONE_ALREADY =
            Map.of("lock_granted", "lock_already_held", "lock_released", "lock_not_held");

    @TempDir
    private Path directory;

    private GatewayProcess start(String groups) throws Exception {
        return GatewayLauncher.ofJar("--fleetlock-groups=" + groups, "--data-dir=" + directory.resolve("data"))
                .withHttp()
                .start();
    }

    /**
     * Checks the reply to a node. A server whose disk does not answer in time reports that, and the
     * node repeats the request, as Zincati does. The first request may have been carried out
     * meanwhile.
     */
    private static void expect(GatewayProcess server, String path, String id, String kind) throws Exception {
        String first = kind(server, path, id);
        if (!first.equals(UNAVAILABLE)) {
            assertThat(first).isEqualTo(kind);
            return;
        }
        String later = Polling.until(() -> kind(server, path, id), told -> !told.equals(UNAVAILABLE));
        assertThat(later).isIn(kind, IF_DONE_ALREADY.getOrDefault(kind, kind));
    }

    private static String kind(GatewayProcess server, String path, String id) throws IOException {
        try (RawHttp http = RawHttp.of(server.httpPort())) {
            return http.ask("POST", path, FleetNode.HEADER, FleetNode.body("g", id))
                    .member("kind");
        }
    }

    @Test
    void slotsOfAGroupTakenOutOfTheConfigurationAreShownAndCanBeReleased() throws Exception {
        try (GatewayProcess server = start("g")) {
            expect(server, "/v1/pre-reboot", "a", "lock_granted");
            server.signal("KILL");
            int unused = server.exitStatus();
        }
        try (GatewayProcess server = start("other");
                RawHttp http = RawHttp.of(server.httpPort())) {
            server.awaitLog("level=WARN msg=\"machines hold slots of a fleetlock group that is not configured\""
                    + " group=g held=1");
            expect(server, "/v1/pre-reboot", "a", "unknown_group");
            assertThat(http.get("/v1/fleetlock/groups").body())
                    .contains("{\"group\":\"g\",\"slots\":0,\"configured\":false,\"held\":1,");
            assertThat(http.get("/v1/fleetlock/groups/g").body()).contains("{\"id\":\"a\",");
            assertThat(http.ask("DELETE", "/v1/fleetlock/groups/g/holders/a?reason=renamed", "", "")
                            .status())
                    .isEqualTo(204);
            assertThat(http.get("/v1/fleetlock/groups").body()).doesNotContain("\"g\"");
        }
    }
}
