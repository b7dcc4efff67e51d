package io.flockgate.gateway.http;

import io.flockgate.gateway.net.Times;
import java.time.Duration;

/**
 * The limits of time and size (REST API, "Rate limit, caps and timeouts"). Times are in nanoseconds.
 *
 * @param headerNanos from the beginning of a connection to the end of its first head
 * @param bodyNanos from the end of a head to the end of its body
 * @param idleNanos from an answer to the end of the next head
 */
record HttpLimits(long headerNanos, long bodyNanos, long idleNanos) {
    /** Of the request line, and of all headers together. */
    static final int MAX_HEAD_BYTES = 16 * 1024;

    static final int MAX_BODY_BYTES = 1024 * 1024;

    /** Of a body that nobody reads; beyond that the connection ends. */
    static final int MAX_SKIPPED_BYTES = 256 * 1024;

    /** The size of a read. It bounds the memory for requests that a client sends ahead. */
    static final int READ_BYTES = 32 * 1024;

    /** The time that a client has to read a last answer while it is still sending. */
    static final long LINGER_MILLIS = 500;

    private static final Duration HEADER = Duration.ofSeconds(10);
    private static final Duration IDLE = Duration.ofMinutes(2);

    static HttpLimits of(Duration readTimeout) {
        long body = Times.nanos(readTimeout);
        return new HttpLimits(Math.min(HEADER.toNanos(), body), body, IDLE.toNanos());
    }
}
