package io.flockgate.gateway.http;

import io.flockgate.gateway.net.Times;
import java.time.Duration;

/**
 * How long and how much (REST API, "Rate limit, caps and timeouts"). Times are in nanoseconds.
 *
 * @param headerNanos from the first byte of a request to the end of its head; also for the first request to begin
 * @param requestNanos from the first byte of a request to the end of its body
 * @param idleNanos between requests
 */
record HttpLimits(long headerNanos, long requestNanos, long idleNanos) {
    /** Request line and headers, together. */
    static final int MOST_HEAD_BYTES = 128 * 1024;

    static final int MOST_BODY_BYTES = 1024 * 1024;

    /** What is read of a body that nobody wants, so that the connection can go on. */
    static final int MOST_UNWANTED_BYTES = 256 * 1024;

    /** What a client may send ahead of a request that is being carried out. */
    static final int MOST_BYTES_AHEAD = 256 * 1024;

    /** So much of a head, and of what is sent ahead, costs a connection nothing of what all have in common. */
    static final int FREE_UNREAD_BYTES = 8 * 1024;

    /** After a last answer to a request that has not come whole: time for the client to read it. */
    static final long LINGER_MILLIS = 500;

    private static final Duration HEADER = Duration.ofSeconds(10);
    private static final Duration IDLE = Duration.ofMinutes(2);

    static HttpLimits of(Duration readTimeout) {
        long request = Times.nanos(readTimeout);
        return new HttpLimits(Math.min(HEADER.toNanos(), request), request, IDLE.toNanos());
    }
}
