package io.flockgate.client.kubernetes;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The answer of the API server to a request, as far as callers can act on it. */
sealed interface ApiAnswer {
    /** The current object. As the answer to a write, it confirms that the write was carried out. */
    record Found(LeaseRecord lease) implements ApiAnswer {}

    /** There is no such object. A write was not carried out. */
    record Missing() implements ApiAnswer {}

    /**
     * The object has changed, or already exists. The write was not carried out, and never will be.
     */
    record Conflict() implements ApiAnswer {}

    /**
     * No answer, or one that requests another attempt.
     *
     * @param why the failure in words
     * @param maybeDone false if the request has certainly had no effect
     * @param retryAfter the pause that the server requests, or zero
     * @param cause the underlying failure, if there is one
     */
    record Failed(
            String why,
            boolean maybeDone,
            Duration retryAfter,
            @Nullable Throwable cause) implements ApiAnswer {}
}
