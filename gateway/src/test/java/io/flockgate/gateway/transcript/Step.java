package io.flockgate.gateway.transcript;

import java.time.Duration;

/** One line of a transcript; {@code at} is the file and line it stands in. */
sealed interface Step {
    String at();

    /** Bytes to send. Sends of one connection that follow each other are one write, unless one ends it. */
    record Send(String at, String connection, Text text, boolean endsWrite) implements Step {}

    /** A reply that must come, so many times. */
    record Reply(String at, String connection, Text text, int times) implements Step {}

    /** The server must close the connection without sending anything more. */
    record Closed(String at, String connection) implements Step {}

    /** Nothing must come for a short while, and the connection must stay open. */
    record Nothing(String at, String connection) implements Step {}

    /** Connects; {@code served} tries again until the server answers a ping. */
    record Open(String at, String connection, boolean served) implements Step {}

    /** Ends a connection from the client's side. */
    record Hangup(String at, String connection, Manner manner) implements Step {}

    /** From now on the connection sends so many bytes a write. */
    record Chunk(String at, String connection, int bytes) implements Step {}

    record Pause(String at, Duration duration) implements Step {}

    /** Waits until the server's stats show a key in this state. */
    record Until(String at, String key, KeyLook look) implements Step {}

    /** The first token must have a lower fence than the second. */
    record Fence(String at, String lower, String higher) implements Step {}

    /** How a client ends a connection. */
    enum Manner {
        CLOSE,
        HALF_CLOSE,
        RESET
    }
}
