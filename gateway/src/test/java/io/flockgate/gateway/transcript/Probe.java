package io.flockgate.gateway.transcript;

import io.flockgate.gateway.transcript.Wire.Received;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;

/** Asks the server again and again, on a connection of its own, until it answers as hoped. */
final class Probe {
    private static final Duration BETWEEN = Duration.ofMillis(5);

    private Probe() {}

    /** The stats that show the key so, or the last ones before patience ended. */
    static String untilSeen(int port, String key, KeyLook look, Duration patience)
            throws IOException, InterruptedException {
        Instant end = Instant.now().plus(patience);
        try (Wire wire = new Wire(port)) {
            while (true) {
                wire.send("stats\n_\n_\n");
                String stats = wire.receive(patience) instanceof Received.Line line ? line.latin1() : "(no answer)";
                if (look.isSeenIn(stats, key)) {
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
     * A storage that several gateways share may show a change before the gateway that has made it has taken that in. What is
     * asked about the key is answered after that.
     */
    private static void catchUp(Wire wire, String key, Duration patience) throws IOException {
        wire.send("r\n" + key + "\n" + "1".repeat(32) + "\n");
        Received unused = wire.receive(patience);
    }

    /** Makes connections. */
    interface Connector {
        Wire connect() throws IOException;
    }

    /** An HTTP connection that has been answered. */
    static Wire untilServedOverHttp(Connector connector, Duration patience) throws IOException, InterruptedException {
        Instant end = Instant.now().plus(patience);
        while (true) {
            Wire wire = connector.connect();
            wire.send("GET /health HTTP/1.1\r\nHost: flockgate\r\n\r\n");
            if (wire.receive(patience) instanceof Received.Answer
                    || Instant.now().isAfter(end)) {
                return wire;
            }
            wire.close();
            Thread.sleep(BETWEEN);
        }
    }

    /** A connection that has been answered. */
    static Wire untilServed(int port, Duration patience) throws IOException, InterruptedException {
        Instant end = Instant.now().plus(patience);
        while (true) {
            Wire wire = new Wire(port);
            wire.send("ping\n_\n_\n");
            if (wire.receive(patience).equals(new Received.Line("ok"))
                    || Instant.now().isAfter(end)) {
                return wire;
            }
            wire.close();
            Thread.sleep(BETWEEN);
        }
    }
}
