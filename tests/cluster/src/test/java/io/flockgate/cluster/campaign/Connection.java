package io.flockgate.cluster.campaign;

import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.IntSupplier;

/** A client's connection, which other threads may cut. Thread-safe except for requests. */
final class Connection {
    private static final Duration GIVING_UP = Duration.ofSeconds(60);

    private final LineClient line;
    private final int gateway;
    private volatile long ended = Long.MAX_VALUE;
    private volatile long broken = Long.MAX_VALUE;

    /**
     * @param gateways the ports of all gateways, now
     */
    Connection(List<IntSupplier> gateways, int gateway) throws IOException {
        this.line = LineClient.connect(gateways.get(gateway).getAsInt()).patience(GIVING_UP);
        this.gateway = gateway;
    }

    int gateway() {
        return gateway;
    }

    String ask(String command, String key, String argument) throws IOException {
        return line.ask(command, key, argument);
    }

    /** When this side began to end it; {@link Long#MAX_VALUE} before that. */
    long ended() {
        return ended;
    }

    /**
     * When it was found closed although this side had not closed it; {@link Long#MAX_VALUE} if it
     * was not.
     */
    long broken() {
        return broken;
    }

    boolean isOpen() {
        return ended == Long.MAX_VALUE && broken == Long.MAX_VALUE;
    }

    /** Must be called when a request had no answer. */
    synchronized void broke(long found) {
        if (isOpen()) {
            broken = found;
            close(true);
        }
    }

    synchronized void end(boolean abruptly) {
        if (isOpen()) {
            ended = System.nanoTime();
            close(abruptly);
        }
    }

    private void close(boolean abruptly) {
        try {
            if (abruptly) {
                line.reset();
            } else {
                line.close();
            }
        } catch (IOException e) {
            // It has ended already.
        }
    }
}
