package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** FleetLock of a process: slots outlive it. */
@Execution(ExecutionMode.CONCURRENT)
class FleetLockProcessTest {
    @TempDir
    private Path directory;

    private GatewayProcess start(String groups) throws Exception {
        return GatewayLauncher.ofClassPath("--fleetlock-groups=" + groups, "--data-dir=" + directory.resolve("data"))
                .withHttp()
                .start();
    }

    private static String kind(GatewayProcess server, String path, String id) throws Exception {
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
                assertThat(kind(server, "/v1/pre-reboot", id)).isEqualTo("lock_granted");
            }
            assertThat(kind(server, "/v1/steady-state", "b")).isEqualTo("lock_released");
            server.signal(signal);
            int unused = server.exitStatus();
        }
        try (GatewayProcess server = start("g=3")) {
            assertThat(kind(server, "/v1/pre-reboot", "a")).isEqualTo("lock_already_held");
            assertThat(kind(server, "/v1/steady-state", "b")).isEqualTo("lock_not_held");
            assertThat(kind(server, "/v1/pre-reboot", "d")).isEqualTo("lock_granted");
            assertThat(kind(server, "/v1/pre-reboot", "e")).isEqualTo("failed_lock_semaphore_full");
            assertThat(kind(server, "/v1/steady-state", "c")).isEqualTo("lock_released");
        }
    }

    @Test
    void aLowerLimitEvictsNobodyAndAHigherOneCountsAtOnce() throws Exception {
        try (GatewayProcess server = start("g=2")) {
            assertThat(kind(server, "/v1/pre-reboot", "a")).isEqualTo("lock_granted");
            assertThat(kind(server, "/v1/pre-reboot", "b")).isEqualTo("lock_granted");
            server.signal("KILL");
            int unused = server.exitStatus();
        }
        try (GatewayProcess server = start("g=1")) {
            assertThat(kind(server, "/v1/pre-reboot", "b")).isEqualTo("lock_already_held");
            assertThat(kind(server, "/v1/steady-state", "a")).isEqualTo("lock_released");
            assertThat(kind(server, "/v1/pre-reboot", "a")).isEqualTo("failed_lock_semaphore_full");
            server.signal("KILL");
            int unused = server.exitStatus();
        }
        try (GatewayProcess server = start("other,g=4")) {
            assertThat(kind(server, "/v1/pre-reboot", "a")).isEqualTo("lock_granted");
        }
    }

    @Test
    void aGroupTakenOutOfTheConfigurationKeepsItsRoster() throws Exception {
        try (GatewayProcess server = start("g")) {
            assertThat(kind(server, "/v1/pre-reboot", "a")).isEqualTo("lock_granted");
            server.signal("KILL");
            int unused = server.exitStatus();
        }
        try (GatewayProcess server = start("other")) {
            assertThat(kind(server, "/v1/pre-reboot", "a")).isEqualTo("unknown_group");
            server.signal("TERM");
            int unused = server.exitStatus();
        }
        try (GatewayProcess server = start("g")) {
            assertThat(kind(server, "/v1/pre-reboot", "b")).isEqualTo("failed_lock_semaphore_full");
        }
    }

    @Test
    void aPauseOutlivesTheProcess() throws Exception {
        try (GatewayProcess server = start("g");
                RawHttp http = RawHttp.of(server.httpPort())) {
            assertThat(http.ask("POST", "/v1/fleetlock/groups/g/pause?reason=why", "", "")
                            .status())
                    .isEqualTo(200);
            server.signal("KILL");
            int unused = server.exitStatus();
        }
        try (GatewayProcess server = start("g")) {
            assertThat(kind(server, "/v1/pre-reboot", "a")).isEqualTo("failed_lock_group_paused");
        }
    }

    @Test
    void aSecondProcessOnTheSameDirectoryIsRefused() throws Exception {
        try (GatewayProcess first = start("g")) {
            GatewayProcess second = GatewayLauncher.ofClassPath(
                            "--port=0",
                            "--http-port=1",
                            "--fleetlock-groups=g",
                            "--data-dir=" + directory.resolve("data"))
                    .launch();
            assertThat(second.exitStatus()).isEqualTo(1);
            assertThat(second.err())
                    .contains(directory.resolve("data").toString())
                    .doesNotContain("\tat ");
            assertThat(kind(first, "/v1/pre-reboot", "a")).isEqualTo("lock_granted");
        }
    }

    @Test
    void operatorsDeedsAreInTheLogWithTheirReasons() throws Exception {
        try (GatewayProcess server = start("g");
                RawHttp http = RawHttp.of(server.httpPort())) {
            assertThat(kind(server, "/v1/pre-reboot", "a\\\"b")).isEqualTo("lock_granted");
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
    void theCommandSpeaksToAServer() throws Exception {
        try (GatewayProcess server = start("g")) {
            assertThat(kind(server, "/v1/pre-reboot", "a")).isEqualTo("lock_granted");
            GatewayProcess ls = GatewayLauncher.ofClassPath(
                            "fleetlock", "ls", "g", "--url", "http://127.0.0.1:" + server.httpPort())
                    .launch();
            assertThat(ls.exitStatus()).isZero();
            assertThat(ls.out()).contains("GROUP", "ID", "a  ");
            assertThat(ls.err()).isEmpty();
        }
    }
}
