package io.flockgate.gateway.transcript;

import io.flockgate.gateway.transcript.PlayedConnection.Received;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.time.Duration;
import java.time.Instant;

/** Polls the server on its own connection until it gives the expected answer. */
final class Probe {
    private static final String PING = "ping\n_\n_\n";
    private static final String HEALTH = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    private static final Duration BETWEEN = Duration.ofMillis(5);

    private Probe() {}

    /**
     * Waits until the stats show the key in this state.
     *
     * @throws AssertionError if they never do, with the last ones
     */
    static void untilSeen(int port, String key, KeyCondition condition) throws IOException {
        try (LineClient client = LineClient.connect(port)) {
            String unusedStats =
                    Polling.until(() -> client.ask("stats", "_", "_"), stats -> condition.isSeenIn(stats, key));
            // A storage that several gateways share may show a change before the gateway that made
            // it has processed it. A request for the key is answered only afterwards.
            String unusedReply = client.ask("r", key, "1".repeat(32));
        }
    }

    /**
     * Sends a request and reads its answer, on its own connection. A server that accepts no
     * connections has sent all its replies.
     */
    static void roundTrip(int port) throws IOException {
        try (LineClient client = LineClient.connect(port)) {
            String unused = client.ping();
        } catch (EOFException | SocketException closed) {
            // The server has stopped, or accepts no further connections.
        }
    }

    /** Makes connections. */
    interface Connector {
        PlayedConnection connect() throws IOException;
    }

    /** A connection that has been answered. */
    static PlayedConnection untilServed(Connector connector, Duration patience)
            throws IOException, InterruptedException {
        Instant end = Instant.now().plus(patience);
        while (true) {
            PlayedConnection wire = connector.connect();
            wire.send(wire instanceof PlayedHttpConnection ? HEALTH : PING);
            Received answer = wire.receive(patience);
            if (answer instanceof Received.Message
                    || answer.equals(new Received.Line("ok"))
                    || Instant.now().isAfter(end)) {
                return wire;
            }
            wire.close();
            Thread.sleep(BETWEEN);
        }
    }
}
