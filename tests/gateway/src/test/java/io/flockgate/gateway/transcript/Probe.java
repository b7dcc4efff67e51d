package io.flockgate.gateway.transcript;

import io.flockgate.gateway.transcript.PlayedConnection.Received;
import io.flockgate.testsupport.Polling;
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

    /** The stats that show the key in this state, or the last ones before the patience ended. */
    static String untilSeen(int port, String key, KeyCondition condition, Duration patience)
            throws IOException, InterruptedException {
        Instant end = Instant.now().plus(patience);
        try (PlayedConnection wire = new PlayedConnection(port)) {
            while (true) {
                wire.send("stats\n_\n_\n");
                String stats = wire.receive(patience) instanceof Received.Line line ? line.latin1() : "(no answer)";
                if (condition.isSeenIn(stats, key)) {
                    catchUp(wire, key, patience);
                    return stats;
                }
                if (Instant.now().isAfter(end)) {
                    return stats;
                }
                Thread.sleep(BETWEEN);
            }
        }
    }

    /**
     * A storage that several gateways share may show a change before the gateway that made it has
     * processed it. A request for the key is answered only afterwards.
     */
    private static void catchUp(PlayedConnection wire, String key, Duration patience) throws IOException {
        wire.send("r\n" + key + "\n" + "1".repeat(32) + "\n");
        Received unused = wire.receive(patience);
    }

    /**
     * Sends a request and reads its answer, on its own connection. A server that accepts no
     * connections has sent all its replies.
     */
    static void roundTrip(int port) throws IOException {
        try (PlayedConnection wire = new PlayedConnection(port)) {
            wire.send(PING);
            Received unused = wire.receive(Polling.PATIENCE);
        } catch (SocketException e) {
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
