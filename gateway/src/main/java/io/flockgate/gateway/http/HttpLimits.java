package io.flockgate.gateway.http;

import io.flockgate.gateway.net.Times;
import io.vertx.core.http.Http1ServerConfig;
import java.time.Duration;

/**
 * The limits of time and size of the HTTP port (protocol-docs/rest-api.md, "Rate limit, caps and
 * timeouts"). Times are in nanoseconds.
 *
 * @param headerNanos from the beginning of a connection to the end of its first head
 * @param bodyNanos from the end of a head to the end of its body
 * @param idleNanos from an answer to the end of the next head
 */
record HttpLimits(long headerNanos, long bodyNanos, long idleNanos) {
    /**
     * Maximum length of a request line. That of a list with all its filters, in escaped bytes, has
     * about 2,500 bytes.
     */
    static final int MAX_LINE_BYTES = 4 * 1024;

    /** Maximum length of all headers together. */
    static final int MAX_HEAD_BYTES = 16 * 1024;

    /** The limits of heads for Vert.x. */
    static final Http1ServerConfig HEADS =
            new Http1ServerConfig().setMaxInitialLineLength(MAX_LINE_BYTES).setMaxHeaderSize(MAX_HEAD_BYTES);

    /** Maximum length of a body that is read and discarded; a longer one ends the connection. */
    static final int MAX_SKIPPED_BYTES = 256 * 1024;

    /** The size of the kernel's buffer for requests that are not read yet. */
    static final int READ_BYTES = 32 * 1024;

    /** The size of the kernel's buffer for replies that a client has not yet read. */
    static final int SEND_BYTES = 64 * 1024;

    /** The time in which a client that is still sending can read its last answer. */
    static final long LINGER_MILLIS = 500;

    private static final Duration HEADER = Duration.ofSeconds(10);
    private static final Duration IDLE = Duration.ofMinutes(2);

    static HttpLimits of(Duration readTimeout) {
        long body = Times.nanos(readTimeout);
        return new HttpLimits(Math.min(HEADER.toNanos(), body), body, IDLE.toNanos());
    }
}
