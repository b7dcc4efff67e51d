package io.flockgate.gateway.rest;

import io.flockgate.gateway.http.Reply;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The words in which an operator says why. They go into the log. */
public final class OperatorReason {
    private static final int MAX_BYTES = 256;

    private static final Reply REQUIRED = RestReplies.badRequest("reason required, up to 256 bytes");
    private static final Reply TOO_LONG = RestReplies.badRequest("reason too long (max 256 bytes)");

    private OperatorReason() {}

    /** The refusal of an order that needs a reason; null if it has one. */
    public static @Nullable Reply refusal(String text) {
        return text.isBlank() ? REQUIRED : refusalOfOptional(text);
    }

    /** The refusal of an order that may have a reason; null if the reason is short enough. */
    public static @Nullable Reply refusalOfOptional(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES ? TOO_LONG : null;
    }
}
