package io.flockgate.gateway.rest;

import io.flockgate.gateway.http.Reply;
import java.nio.charset.StandardCharsets;

/** The words in which an operator says why. They go into the log. */
public final class OperatorReason {
    private static final int MAX_BYTES = 256;

    public static final Reply REQUIRED = RestReplies.badRequest("reason required, up to 256 bytes");
    public static final Reply TOO_LONG = RestReplies.badRequest("reason too long (max 256 bytes)");

    private OperatorReason() {}

    public static boolean isGiven(String text) {
        return !text.isBlank() && fits(text);
    }

    /** Whether a reason that may be left out is short enough. */
    public static boolean fits(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length <= MAX_BYTES;
    }
}
