package io.flockgate.gateway.server.flood;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.server.TlsClients;
import io.flockgate.gateway.server.flood.FloodedGateway.Heap;
import io.flockgate.gateway.server.http.RawHttp;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
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
@Order(0)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("flood")
class ResourceFloodTest {
    private static final String ENDLESS = "0 9223372036854775807 1000000000";
    private static final String LONG_KEY = "k".repeat(240);
    private static final Pattern STATUS = Pattern.compile("(?s)HTTP/1\\.1 (\\d+) .*");
    private static final Pattern WORD = Pattern.compile("(\\S+).*");
    private static final String LARGEST = "/v1/keys?limit=1000";

    /** Without a default: a new resource needs a flood. */
    @ParameterizedTest
    @EnumSource
    void flood(Resource resource) throws Exception {
        switch (resource) {
            case CONNECTION -> connections(false, "l\nhot\n1000\n", "max_connections_per_ip");
            case HTTP_CONNECTION -> connections(true, "GET / HTTP/1.1\r\n", "http_max_connections_per_ip");
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

    /** Connections whose requests wait, or never end. */
    private static void connections(boolean http, String request, String reason) throws Exception {
        int cap = 300;
        try (FloodedGateway gateway = FloodedGateway.start(
                "--read-timeout=3600", "--max-connections-per-ip=" + cap, "--http-max-connections-per-ip=" + cap)) {
            gateway.withstands(reason, () -> {
                try (Crowd crowd = Crowd.of(http ? gateway.httpPort() : gateway.port(), 4 * cap)) {
                    crowd.offerUntil(Crowd.bytes(request), cap);
                }
            });
            gateway.awaitRefusal(reason);
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
            gateway.awaitRefusal("max_handshakes_per_ip");
        }
    }

    private static void sessions() throws Exception {
        int cap = 1_000;
        try (FloodedGateway gateway =
                FloodedGateway.start("--http-session-idle-timeout=1", "--http-max-sessions-per-ip=" + cap)) {
            gateway.withstands("sessions", () -> {
                try (LineClient client = gateway.http()) {
                    IntFunction<String> begin = i -> RawHttp.request("POST", "/v1/sessions", "", "");
                    assertThat(replies(client, 4 * cap, begin, STATUS)).containsOnlyKeys("200", "503");
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
                            long unused = crowd.offer(release);
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
                    long unused = crowd.offer(request);
                    gateway.awaitRefusal("max_event_streams_per_ip");
                    try (LineClient client = gateway.client()) {
                        IntFunction<String> claims = i -> LineClient.frame("sl", LONG_KEY, ENDLESS);
                        assertThat(replies(client, 10_000, claims, WORD)).isEqualTo(Map.of("ok", 10_000));
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
                try (LineClient client = gateway.client();
                        Crowd http = Crowd.of(gateway.httpPort(), 100);
                        Crowd line = Crowd.of(gateway.port(), 100)) {
                    IntFunction<String> locks = i -> LineClient.frame("l", LONG_KEY + i, "0 1000000000");
                    assertThat(replies(client, FloodedGateway.MAX_LOCKS, locks, WORD))
                            .isEqualTo(Map.of("ok", FloodedGateway.MAX_LOCKS));
                    long unused = line.offer(stats) + http.offer(request);
                    gateway.awaitRefusal("max_reports_per_ip");
                    for (String report : reports) {
                        gateway.expectSoonElsewhere(report);
                    }
                    assertThat(client.ping()).isEqualTo("ok");
                }
            });
        }
    }

    /** The locks of another address need further classes, which Java loads from files. */
    @Test
    void connectionsBeyondTheLimitOnOpenFiles() throws Exception {
        int limit = 700;
        int moreThanTheFirstPoolOfSalts = 200;
        try (FloodedGateway gateway = FloodedGateway.withOpenFiles(limit)) {
            gateway.awaitLog("too small for the caps on connections.* open_files=700 "
                    + "max_connections=175 http_max_connections=175");
            gateway.withstands("connections beyond open files", () -> {
                try (Crowd line = Crowd.of(gateway.port(), limit);
                        Crowd http = Crowd.of(gateway.httpPort(), limit);
                        LineClient client = gateway.clientElsewhere()) {
                    for (int i = 0; i < moreThanTheFirstPoolOfSalts; i++) {
                        client.lock("k" + i);
                    }
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
            replies(client, frames, frame, WORD).forEach((word, count) -> words.merge(word, count, Integer::sum));
        }
        for (LineClient client : clients) {
            client.close();
        }
        return words;
    }

    /**
     * Sends this number of requests, and reads until as many lines match. Returns the number of
     * these lines by their first group.
     */
    private static Map<String, Integer> replies(
            LineClient client, int requests, IntFunction<String> request, Pattern reply) throws IOException {
        String text = IntStream.range(0, requests).mapToObj(request).collect(Collectors.joining());
        Thread unused = Thread.ofVirtual().start(() -> sendAll(client, text));
        Map<String, Integer> words = new TreeMap<>();
        for (int replies = 0; replies < requests; ) {
            Matcher line = reply.matcher(client.line());
            if (line.matches()) {
                replies++;
                words.merge(line.group(1), 1, Integer::sum);
            }
        }
        return words;
    }

    private static void sendAll(LineClient client, String text) {
        try {
            client.send(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
