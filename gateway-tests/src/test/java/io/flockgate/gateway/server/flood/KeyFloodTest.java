package io.flockgate.gateway.server.flood;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.LineClient;
import java.util.Map;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Names of the maximum length, all distinct, on every path that accepts one. */
@Tag("flood")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("flood")
class KeyFloodTest {
    private static final int NAMES = 4_000;
    private static final int MANY_NAMES = 20_000;
    private static final int MAX_LOCKS = 1_024;

    /** A key of 256 bytes. Each byte needs six characters in JSON. */
    private static String key(int n) {
        return number(n) + "\u0001".repeat(250);
    }

    @Test
    void longKeysOfTheLineProtocol() throws Exception {
        longKeysOfTheLineProtocol(NAMES);
    }

    @Test
    @Tag("slow")
    void manyLongKeysOfTheLineProtocol() throws Exception {
        longKeysOfTheLineProtocol(MANY_NAMES);
    }

    private static void longKeysOfTheLineProtocol(int names) throws Exception {
        try (FloodedGateway gateway = FloodedGateway.start("--gc-max-idle=0", "--gc-interval=1")) {
            gateway.withstandsAgain("long keys of the line protocol", () -> {
                try (LineClient client = gateway.client()) {
                    assertThat(Pipeline.send(client, names, i -> LineClient.frame("l", key(i), "0 1000000000")))
                            .isEqualTo(Map.of("ok", MAX_LOCKS, "error_max_locks", names - MAX_LOCKS));
                    assertThat(Pipeline.send(
                                    client, names, i -> LineClient.frame("sl", key(names + i), "0 1 1000000000")))
                            .isEqualTo(Map.of("error_max_locks", names));
                    assertThat(client.ask("stats", "_", "_").length()).isGreaterThan(MAX_LOCKS * 1_500);
                    assertThat(gateway.get("/v1/keys?limit=1000").length()).isGreaterThan(1_000 * 1_500);
                }
            });
        }
    }

    @Test
    void longKeysAndGroupsOverHttp() throws Exception {
        longKeysAndGroupsOverHttp(NAMES);
    }

    @Test
    @Tag("slow")
    void manyLongKeysAndGroupsOverHttp() throws Exception {
        longKeysAndGroupsOverHttp(MANY_NAMES);
    }

    private static void longKeysAndGroupsOverHttp(int names) throws Exception {
        // On a busy machine the session sends no request for longer than the default idle timeout
        // while the others are flooding.
        try (FloodedGateway gateway = FloodedGateway.start(
                "--fleetlock-groups=default", "--fleetlock-volatile", "--http-session-idle-timeout=600")) {
            gateway.withstandsAgain("long keys and groups over HTTP", () -> {
                try (LineClient client = gateway.http()) {
                    String session = FloodedGateway.session(client);
                    assertThat(Pipeline.http(client, names, locksOf(session)))
                            .isEqualTo(Map.of("200", MAX_LOCKS, "503", names - MAX_LOCKS));
                    assertThat(Pipeline.http(client, names, i -> preReboot("x".repeat(256), i + "g".repeat(8_000))))
                            .isEqualTo(Map.of("400", names));
                    assertThat(Pipeline.http(client, names, i -> preReboot(number(i) + "x".repeat(250), "default")))
                            .isEqualTo(Map.of("200", 1, "409", names - 1));
                    gateway.endSession(session);
                }
            });
        }
    }

    private static IntFunction<String> locksOf(String session) {
        String header = "X-Dflockd-Session: " + session + "\r\n";
        return i -> FloodedGateway.post(
                "/v1/locks/" + number(i) + "%01".repeat(250), header, "{\"lease_ttl_s\":1000000000}");
    }

    private static String preReboot(String id, String group) {
        return FloodedGateway.post(
                "/v1/pre-reboot",
                "fleet-lock-protocol: true\r\n",
                "{\"client_params\":{\"id\":\"" + id + "\",\"group\":\"" + group + "\"}}");
    }

    private static String number(int n) {
        return String.format("%06d", n);
    }
}
