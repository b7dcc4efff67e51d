package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;

/**
 * The lines of the log about the caps on connections, sessions, requests and event streams, and the
 * metrics that show these caps.
 */
@Tag("process")
@Execution(CONCURRENT)
class CapLinesTest {
    private static final String ONE = "127.0.0.1";
    private static final String OTHER = "::1";

    @SuppressWarnings("AddressSelection") // written as digits
    private static Socket socket(int port, String address) throws IOException {
        return new Socket(InetAddress.ofLiteral(address), port);
    }

    private static void awaitLine(GatewayProcess gateway, String refusing, String state) throws Exception {
        Matcher unused = gateway.awaitLog(
                Pattern.quote("level=WARN msg=\"a cap is reached, refusing " + refusing + "\" " + state));
    }

    @Test
    void connectionsOfTheLineProtocol() throws Exception {
        try (GatewayProcess gateway = GatewayLauncher.ofJar(
                                "--host=::", "--max-connections=5", "--max-connections-per-ip=3")
                        .start();
                LineClient holder = gateway.client();
                LineClient waiter = gateway.client();
                LineClient idle = gateway.client();
                LineClient elsewhere = LineClient.over(socket(gateway.port(), OTHER))) {
            holder.lock("k");
            var waiting = waiter.lockLater("k", 60, 60);
            idle.awaitWaiters("k", 1);
            assertThat(elsewhere.ping()).isEqualTo("ok");
            expectRefused(socket(gateway.port(), ONE));
            awaitLine(gateway, "connections", "flag=--max-connections-per-ip max=3 refused=1 peer=127.0.0.0/8");
            assertThat(elsewhere.ask("e", "k", "60")).isEqualTo("queued");
            try (LineClient last = LineClient.over(socket(gateway.port(), OTHER))) {
                assertThat(last.ping()).isEqualTo("ok");
                expectRefused(socket(gateway.port(), OTHER));
                awaitLine(
                        gateway, "connections", "flag=--max-connections max=5 refused=1 peer=0000:0000:0000:0000::/64");
                expectRefused(socket(gateway.port(), OTHER));
            }
            assertThat(waiting).isNotDone();
            for (LineClient each : List.of(holder, waiter, idle, elsewhere)) {
                each.close();
            }
            assertThat(gateway.stop()).isZero();
            assertThat(gateway.err().split("refusing connections", -1)).hasSize(3);
        }
    }

    private static void expectRefused(Socket socket) throws IOException {
        try (LineClient client = LineClient.over(socket)) {
            assertThat(client.rest()).isEmpty();
        }
    }

    @Test
    void everythingThatHttpCounts() throws Exception {
        try (GatewayProcess gateway = GatewayLauncher.ofJar(
                                "--host=::",
                                "--max-connections=300",
                                "--http-max-connections=7",
                                "--http-max-connections-per-ip=5",
                                "--http-max-sessions=4",
                                "--http-max-sessions-per-ip=2",
                                "--http-max-event-streams=1")
                        .withHttp()
                        .start();
                RawHttp asking = connected(RawHttp.of(gateway.httpPort()));
                RawHttp waiting = connected(RawHttp.of(gateway.httpPort()));
                RawHttp behind = connected(RawHttp.of(gateway.httpPort()));
                RawHttp streaming = connected(RawHttp.of(gateway.httpPort()));
                RawHttp idle = connected(RawHttp.of(gateway.httpPort()));
                RawHttp elsewhere = connected(new RawHttp(socket(gateway.httpPort(), OTHER)))) {
            sessions(gateway, asking, elsewhere);
            String waiter = begin(asking);
            assertThat(waiter).isNotEmpty();
            calls(asking, waiting, behind, waiter);
            streaming.send(RawHttp.request("GET", "/v1/events", "", ""));
            streaming.awaitBytes(": flockgate\n\n");
            // Not read as a whole answer, because a stream would have no end.
            idle.send(RawHttp.request("GET", "/v1/events", "", ""));
            idle.awaitBytes("max_event_streams");
            awaitLine(gateway, "event streams", "flag=--http-max-event-streams max=1 refused=1 peer=127.0.0.0/8");
            String metrics = asking.get("/metrics").body();
            assertThat(metrics)
                    .contains(
                            cap("used", "http_max_connections", 6),
                            cap("max", "http_max_connections", 7),
                            cap("used", "http_max_sessions", 4),
                            cap("max", "http_max_sessions", 4),
                            cap("used", "http_max_event_streams", 1),
                            cap("max", "calls", 20_000),
                            cap("used", "max_connections", 0),
                            cap("max", "max_connections", 300),
                            cap("used", "max_locks", 1),
                            cap("max", "max_locks", 1024),
                            cap("max", "enqueued", 100_000),
                            cap("used", "reports", 1),
                            cap("max", "reports", 68),
                            cap("used", "handshakes", 0),
                            "flockgate_refused_total{reason=\"max_event_streams\"} 1.0");
            connections(gateway);
        }
    }

    /**
     * The first request of a connection must arrive within ten seconds. A later one has more time.
     */
    private static RawHttp connected(RawHttp client) throws IOException {
        assertThat(client.get("/health").status()).isEqualTo(200);
        return client;
    }

    private static String cap(String part, String cap, long value) {
        return "flockgate_cap_" + part + "{cap=\"" + cap + "\"} " + (double) value + "\n";
    }

    /** Leaves one session that holds a key, and room for one more of this address. */
    private static void sessions(GatewayProcess gateway, RawHttp asking, RawHttp elsewhere) throws Exception {
        assertThat(begin(elsewhere)).isNotEmpty();
        String holder = begin(asking);
        assertThat(holder).isNotEmpty();
        assertThat(acquire(asking, holder, 0).status()).isEqualTo(200);
        String second = begin(asking);
        assertThat(begin(asking)).isEmpty();
        awaitLine(gateway, "sessions", "flag=--http-max-sessions-per-ip max=2 refused=1 peer=127.0.0.0/8");
        assertThat(begin(elsewhere)).isNotEmpty();
        assertThat(begin(elsewhere)).isEmpty();
        awaitLine(gateway, "sessions", "flag=--http-max-sessions max=4 refused=1 peer=0000:0000:0000:0000::/64");
        assertThat(asking.ask("DELETE", "/v1/sessions/" + second, "", "").status())
                .isEqualTo(204);
    }

    /** The id of a new session; empty if it is refused. */
    private static String begin(RawHttp client) throws IOException {
        Response answer = client.ask("POST", "/v1/sessions", "", "");
        Matcher id = Pattern.compile("\"session_id\":\"([0-9a-f]+)\"").matcher(answer.body());
        return answer.status() == 200 && id.find() ? id.group(1) : "";
    }

    private static Response acquire(RawHttp client, String session, int seconds) throws IOException {
        sendAcquire(client, session, seconds);
        return client.response();
    }

    private static void sendAcquire(RawHttp client, String session, int seconds) throws IOException {
        client.send(RawHttp.request(
                "POST",
                "/v1/locks/k",
                "Content-Type: application/json\r\nX-Dflockd-Session: " + session + "\r\n",
                "{\"acquire_timeout_s\":" + seconds + "}"));
    }

    private static void calls(RawHttp asking, RawHttp waiting, RawHttp behind, String waiter) throws Exception {
        sendAcquire(waiting, waiter, 60);
        String queued = Polling.until(() -> asking.get("/v1/keys/k").body(), body -> body.contains(",\"waiting_s\":"));
        assertThat(queued).contains("\"waiter_count\":1");
        sendAcquire(behind, waiter, 60);
        String unused =
                Polling.until(() -> asking.get("/metrics").body(), text -> text.contains(cap("used", "calls", 1)));
    }

    /** From one address, two connections wait and one streams; from the other, none does. */
    private static void connections(GatewayProcess gateway) throws Exception {
        expectRefused(socket(gateway.httpPort(), ONE));
        awaitLine(gateway, "connections", "flag=--http-max-connections-per-ip max=5 refused=1 peer=127.0.0.0/8");
        try (RawHttp last = new RawHttp(socket(gateway.httpPort(), OTHER))) {
            assertThat(last.get("/health").status()).isEqualTo(200);
            expectRefused(socket(gateway.httpPort(), OTHER));
            awaitLine(
                    gateway,
                    "connections",
                    "flag=--http-max-connections max=7 refused=1 peer=0000:0000:0000:0000::/64");
        }
    }
}
