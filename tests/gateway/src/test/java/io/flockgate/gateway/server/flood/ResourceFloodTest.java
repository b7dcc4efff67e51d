package io.flockgate.gateway.server.flood;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.server.TlsClients;
import io.flockgate.gateway.server.flood.FloodedGateway.Heap;
import io.flockgate.gateway.server.http.RawHttp;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One flood for each resource of the gate, and for the holders, which the storage counts: clients
 * take more than there is.
 */
@Tag("flood")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("flood")
class ResourceFloodTest {
    private static final String ENDLESS = "0 9223372036854775807 1000000000";
    private static final String LONG_KEY = "k".repeat(240);
    private static final Pattern STATUS = Pattern.compile("(?s)HTTP/1\\.1 (\\d+) .*");
    private static final String LARGEST = "/v1/keys?limit=1000";

    /** Without a default: a new resource needs a flood. */
    @ParameterizedTest
    @EnumSource
    void flood(Resource resource) throws Exception {
        switch (resource) {
            case CONNECTION -> connectionsThatWait();
            case HTTP_CONNECTION -> connectionsOfHttp();
            case HANDSHAKE -> handshakesThatDoNotEnd();
            case SESSION -> sessions();
            case CALL -> callsOfVanishedClients();
            case EVENT_STREAM -> unreadEventStreams();
            case REPORT -> unreadReports();
            case ENQUEUED ->
                frames(
                        "enqueued claims",
                        i -> LineClient.frame("e", LONG_KEY + i, "1000000000"),
                        Map.of("acquired", 1_024, "queued", 8_976, "error_max_enqueued_per_client", 10_480));
            // The cap is low here, because what the flood leaves behind is measured.
            case SLOT ->
                frames(
                        "slots of detached clients",
                        i -> i == 0
                                ? LineClient.frame("hello", "flood", "detached")
                                : LineClient.frame("sl", "pool", ENDLESS),
                        Map.of("ok", 20 + 5_000, "error_max_holders_per_client", 15_460),
                        "--max-holders-per-client=5000");
        }
    }

    private static void connectionsThatWait() throws Exception {
        int cap = 300;
        byte[] claim = Crowd.bytes("l\nhot\n1000\n");
        String[] caps = {"--max-connections=" + 2 * cap, "--max-connections-per-ip=" + cap};
        try (FloodedGateway gateway = FloodedGateway.start(caps)) {
            gateway.withstands("connections that wait", () -> {
                try (Crowd crowd = Crowd.of(gateway.port(), 4 * cap)) {
                    crowd.offerUntil(claim, cap);
                    assertThat(gateway.get("/v1/stats")).contains("\"waiters\":");
                }
            });
        }
    }

    private static void connectionsOfHttp() throws Exception {
        int cap = 300;
        byte[] half = Crowd.bytes("GET /health HTTP/1.1\r\nHost: ");
        try (FloodedGateway gateway =
                FloodedGateway.start("--read-timeout=3600", "--http-max-connections-per-ip=" + cap)) {
            gateway.withstands("connections of HTTP", () -> {
                try (Crowd crowd = Crowd.of(gateway.httpPort(), 4 * cap)) {
                    crowd.offerUntil(half, cap);
                }
            });
            gateway.awaitRefusal("http_max_connections_per_ip");
        }
    }

    /** One peer may have half of the places for this heap. */
    private static void handshakesThatDoNotEnd() throws Exception {
        byte[] hello = TlsClients.hello("0303");
        try (FloodedGateway gateway = FloodedGateway.withTls(Heap.SMALL, "--read-timeout=3600")) {
            gateway.withstands("handshakes that do not end", () -> {
                try (Crowd line = Crowd.of(gateway.port(), 150);
                        Crowd http = Crowd.of(gateway.httpPort(), 50)) {
                    line.offerUntil(hello, 83);
                    http.offerUntil(hello, 0);
                }
            });
            assertThat(gateway.get("/metrics")).containsPattern("\"max_handshakes_per_ip\"} [1-9]");
        }
    }

    private static void sessions() throws Exception {
        int cap = 1_000;
        try (FloodedGateway gateway =
                FloodedGateway.start("--http-session-idle-timeout=1", "--http-max-sessions-per-ip=" + cap)) {
            gateway.withstands("sessions", () -> {
                try (LineClient client = gateway.http()) {
                    assertThat(Pipeline.send(
                                    client, 4 * cap, i -> RawHttp.request("POST", "/v1/sessions", "", ""), STATUS))
                            .containsOnlyKeys("200", "503");
                }
            });
        }
    }

    /** Requests that wait behind a long poll of their session, from clients that disconnect. */
    private static void callsOfVanishedClients() throws Exception {
        try (FloodedGateway gateway = FloodedGateway.start()) {
            gateway.withstands("calls of vanished clients", () -> {
                try (LineClient holder = gateway.client();
                        RawHttp poll = new RawHttp(gateway.http().socket())) {
                    assertThat(holder.lock("held", 0, 600).token()).isNotEmpty();
                    String id = poll.ask("POST", "/v1/sessions", "", "").member("session_id");
                    String session = "X-Dflockd-Session: " + id + "\r\n";
                    poll.send(RawHttp.request("POST", "/v1/locks/held", session, "{\"acquire_timeout_s\":600}"));
                    holder.awaitWaiters("held", 1);
                    byte[] release = Crowd.bytes(RawHttp.request(
                            "POST",
                            "/v1/locks/" + LONG_KEY + "/release",
                            session,
                            "{\"token\":\"" + "0".repeat(32) + "\"}"));
                    for (int round = 0; round < 9; round++) {
                        try (Crowd crowd = Crowd.of(gateway.httpPort(), 1_250)) {
                            long unused = crowd.offer(release, release.length);
                        }
                        // More connections would be refused.
                        gateway.awaitClients(4);
                    }
                    gateway.awaitRefusal("overloaded");
                    try (RawHttp http = new RawHttp(gateway.http().socket())) {
                        assertThat(http.ask("DELETE", "/v1/sessions/" + id, "", "")
                                        .status())
                                .isEqualTo(204);
                    }
                }
            });
        }
    }

    /** A peer may have a quarter of the streams. Their readers miss events. */
    private static void unreadEventStreams() throws Exception {
        byte[] request = Crowd.bytes(RawHttp.request("GET", "/v1/events", "", ""));
        try (FloodedGateway gateway = FloodedGateway.start("--write-timeout=2")) {
            gateway.withstands("unread event streams", () -> {
                try (Crowd crowd = Crowd.of(gateway.httpPort(), 100)) {
                    long unused = crowd.offer(request, request.length);
                    gateway.awaitRefusal("max_event_streams_per_ip");
                    try (LineClient client = gateway.client()) {
                        IntFunction<String> claims = i -> LineClient.frame("sl", LONG_KEY, ENDLESS);
                        assertThat(Pipeline.send(client, 10_000, claims)).isEqualTo(Map.of("ok", 10_000));
                    }
                }
            });
        }
    }

    /** A client of another address gets all reports meanwhile. */
    private static void unreadReports() throws Exception {
        byte[] request = Crowd.bytes(RawHttp.request("GET", LARGEST, "", ""));
        byte[] stats = Crowd.bytes(LineClient.frame("stats", "_", "_").repeat(10));
        List<String> reports = List.of("/v1/stats", LARGEST, "/v1/keys/a", "/v1/gateways", "/v1/deadlocks", "/metrics");
        try (FloodedGateway gateway = FloodedGateway.start("--write-timeout=300")) {
            gateway.withstands("unread reports", () -> {
                try (LineClient client = Pipeline.lockAllKeys(gateway.client());
                        Crowd http = Crowd.of(gateway.httpPort(), 100);
                        Crowd line = Crowd.of(gateway.port(), 100)) {
                    long unused = line.offer(stats, stats.length) + http.offer(request, request.length);
                    gateway.awaitRefusal("max_reports_per_ip");
                    for (String report : reports) {
                        gateway.expectSoonElsewhere(report);
                    }
                    assertThat(client.ping()).isEqualTo("ok");
                }
            });
        }
    }

    /** The first words of the replies to many frames on each of 20 connections. */
    private static void frames(String name, IntFunction<String> frame, Map<String, Integer> words, String... flags)
            throws Exception {
        try (FloodedGateway gateway = FloodedGateway.start(flags)) {
            gateway.withstands(
                    name, () -> assertThat(send(gateway, 20, 1_024, frame)).isEqualTo(words));
        }
    }

    @Test
    void holders() throws Exception {
        int cap = 50_000;
        try (FloodedGateway gateway = FloodedGateway.start("--max-holders=" + cap, "--max-holders-per-client=40000")) {
            gateway.withstands("holders", () -> {
                Map<String, Integer> words = send(gateway, 2, 45_000, i -> LineClient.frame("sl", "pool", ENDLESS));
                // Shards keep up to 1 % of the cap as spare room.
                assertThat(words.get("ok")).isBetween(cap - cap / 100, cap);
                assertThat(words).containsOnlyKeys("ok", "error_max_holders", "error_max_holders_per_client");
            });
        }
    }

    /** Sends frames on this number of connections. Returns the replies by their first word. */
    private static Map<String, Integer> send(
            FloodedGateway gateway, int connections, int frames, IntFunction<String> frame) throws IOException {
        List<LineClient> clients = new ArrayList<>();
        Map<String, Integer> words = new TreeMap<>();
        for (int n = 0; n < connections; n++) {
            LineClient client = gateway.client();
            clients.add(client);
            Pipeline.send(client, frames, frame).forEach((word, count) -> words.merge(word, count, Integer::sum));
        }
        for (LineClient client : clients) {
            client.close();
        }
        return words;
    }
}
