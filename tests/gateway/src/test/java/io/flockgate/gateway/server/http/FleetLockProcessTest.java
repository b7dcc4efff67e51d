package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** FleetLock of a process: slots outlive it. */
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

    /** With rosters that are not kept on disk. */
    private static GatewayProcess startVolatile() throws Exception {
        return GatewayLauncher.ofJar("--fleetlock-groups=g", "--fleetlock-volatile")
                .withHttp()
                .start();
    }

    /** A gateway with the group "g" grants the machine "a" a slot, and is killed. */
    private void grantAndKill() throws Exception {
        try (GatewayProcess server = start("g")) {
            expect(server, "/v1/pre-reboot", "a", "lock_granted");
            server.signal("KILL");
            int unused = server.exitStatus();
        }
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

    @ParameterizedTest
    @ValueSource(strings = {"KILL", "TERM"})
    void whatWasAnsweredStandsAfterAnEndOfAnyKind(String signal) throws Exception {
        try (GatewayProcess server = start("g=3")) {
            for (String id : List.of("a", "b", "c")) {
                expect(server, "/v1/pre-reboot", id, "lock_granted");
            }
            expect(server, "/v1/steady-state", "b", "lock_released");
            server.signal(signal);
            int unused = server.exitStatus();
        }
        try (GatewayProcess server = start("g=3")) {
            expect(server, "/v1/pre-reboot", "a", "lock_already_held");
            expect(server, "/v1/steady-state", "b", "lock_not_held");
            expect(server, "/v1/pre-reboot", "d", "lock_granted");
            expect(server, "/v1/pre-reboot", "e", "failed_lock_semaphore_full");
            expect(server, "/v1/steady-state", "c", "lock_released");
        }
    }

    @Test
    void aLowerLimitEvictsNobodyAndAHigherOneCountsAtOnce() throws Exception {
        try (GatewayProcess server = start("g=2")) {
            expect(server, "/v1/pre-reboot", "a", "lock_granted");
            expect(server, "/v1/pre-reboot", "b", "lock_granted");
            server.signal("KILL");
            int unused = server.exitStatus();
        }
        try (GatewayProcess server = start("g=1")) {
            expect(server, "/v1/pre-reboot", "b", "lock_already_held");
            expect(server, "/v1/steady-state", "a", "lock_released");
            expect(server, "/v1/pre-reboot", "a", "failed_lock_semaphore_full");
            server.signal("KILL");
            int unused = server.exitStatus();
        }
        try (GatewayProcess server = start("other,g=4")) {
            expect(server, "/v1/pre-reboot", "a", "lock_granted");
        }
    }

    @Test
    void slotsOfAGroupTakenOutOfTheConfigurationAreShownAndCanBeReleased() throws Exception {
        grantAndKill();
        try (GatewayProcess server = start("other");
                RawHttp http = RawHttp.of(server.httpPort())) {
            server.awaitLog("level=WARN msg=\"machines hold slots of a fleetlock group that is not configured\""
                    + " group=g held=1");
            assertThat(http.get("/v1/fleetlock/groups").body())
                    .contains("{\"group\":\"g\",\"slots\":0,\"configured\":false,\"held\":1,");
            assertThat(http.get("/v1/fleetlock/groups/g").body()).contains("{\"id\":\"a\",");
            assertThat(http.ask("DELETE", "/v1/fleetlock/groups/g/holders/a?reason=renamed", "", "")
                            .status())
                    .isEqualTo(204);
            assertThat(http.get("/v1/fleetlock/groups").body()).doesNotContain("\"g\"");
        }
    }

    @Test
    void aGroupTakenOutOfTheConfigurationKeepsItsRoster() throws Exception {
        grantAndKill();
        try (GatewayProcess server = start("other")) {
            expect(server, "/v1/pre-reboot", "a", "unknown_group");
            server.signal("TERM");
            int unused = server.exitStatus();
        }
        try (GatewayProcess server = start("g")) {
            expect(server, "/v1/pre-reboot", "b", "failed_lock_semaphore_full");
        }
    }

    @Test
    void aPauseOutlivesTheProcess() throws Exception {
        try (GatewayProcess server = start("g");
                RawHttp http = RawHttp.of(server.httpPort())) {
            int unusedStatus = Polling.until(
                    () -> http.ask("POST", "/v1/fleetlock/groups/g/pause?reason=why", "", "")
                            .status(),
                    status -> status == 200);
            server.signal("KILL");
            int unused = server.exitStatus();
        }
        try (GatewayProcess server = start("g")) {
            expect(server, "/v1/pre-reboot", "a", "failed_lock_group_paused");
        }
    }

    @Test
    void aSecondProcessOnTheSameDirectoryIsRefused() throws Exception {
        try (GatewayProcess first = start("g")) {
            GatewayProcess second = GatewayLauncher.ofJar(
                            "--port=0",
                            "--http-port=1",
                            "--fleetlock-groups=g",
                            "--data-dir=" + directory.resolve("data"))
                    .launch();
            assertThat(second.exitStatus()).isEqualTo(1);
            assertThat(second.err())
                    .contains(directory.resolve("data").toString())
                    .doesNotContain("\tat ");
            expect(first, "/v1/pre-reboot", "a", "lock_granted");
        }
    }

    @Test
    void operatorsDeedsAreInTheLogWithTheirReasons() throws Exception {
        try (GatewayProcess server = startVolatile();
                RawHttp http = RawHttp.of(server.httpPort())) {
            expect(server, "/v1/pre-reboot", "a\\\"b", "lock_granted");
            assertThat(http.ask("DELETE", "/v1/fleetlock/groups/g/holders/a%22b?reason=dead%0Adisk", "", "")
                            .status())
                    .isEqualTo(204);
            assertThat(server.stop()).isZero();
            assertThat(server.err())
                    .contains("msg=fleetlock group=g id=\"a\\\"b\" peer=127.0.0.1:")
                    .contains(" outcome=lock_granted")
                    .containsPattern(
                            "level=INFO msg=audit peer=127.0.0.1:\\d+ action=removeHolder id=\"a\\\\\"b\" group=g"
                                    + " reason=\"dead\\\\ndisk\" fence=1 since=\\S+ result=done");
        }
    }

    @Test
    void aClientThatTakesASlotAgainAndAgainDoesNotFillTheLog() throws Exception {
        try (GatewayProcess server = startVolatile();
                RawHttp http = RawHttp.of(server.httpPort())) {
            long begun = System.nanoTime();
            for (int i = 0; i < 400; i++) {
                change(http, "/v1/pre-reboot", "lock_granted");
                change(http, "/v1/steady-state", "lock_released");
            }
            long ended = System.nanoTime();
            server.awaitLog("msg=fleetlock group=g .* count=\\d+");
            assertThat(server.stop()).isZero();
            List<String> lines = server.err()
                    .lines()
                    .filter(line -> line.contains("msg=fleetlock group="))
                    .toList();
            assertThat(lines).hasSizeBetween(21, 21 + 20 * (int) TimeUnit.NANOSECONDS.toSeconds(ended - begun));
        }
    }

    private static void change(RawHttp http, String path, String kind) throws IOException {
        assertThat(http.ask("POST", path, FleetNode.HEADER, FleetNode.body("g", "a"))
                        .member("kind"))
                .isEqualTo(kind);
    }

    @Test
    void theCommandSpeaksToAServer() throws Exception {
        try (GatewayProcess server = startVolatile()) {
            expect(server, "/v1/pre-reboot", "a", "lock_granted");
            GatewayProcess ls = GatewayLauncher.ofJar(
                            "fleetlock", "ls", "g", "--server", "http://127.0.0.1:" + server.httpPort())
                    .launch();
            assertThat(ls.exitStatus()).isZero();
            assertThat(ls.out()).contains("GROUP", "ID", "a  ");
            assertThat(ls.err()).isEmpty();
        }
    }
}
