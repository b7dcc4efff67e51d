package io.flockgate.client.kubernetes;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The answer of the API server to a request, as far as callers can act on it. */
sealed interface Answer {
    /** The object as it is now. After a write, the write was done. */
    record Found(LeaseRecord lease) implements Answer {}

    /** There is no such object. A write was not done. */
    record Missing() implements Answer {}

    /** The object has changed, or exists already. The write was not done, and never will be. */
    record Conflict() implements Answer {}

    /**
     * No answer, or one that asks to try again.
     *
     * @param why the failure in words
     * @param maybeDone false if the request has had no effect, for certain
     * @param retryAfter the time that the server asks to wait, or zero
     * @param cause the failure behind it, if there is one
     */
    record Failed(
            String why,
            boolean maybeDone,
            Duration retryAfter,
            @Nullable Throwable cause) implements Answer {}
}
