package io.flockgate.gateway.rest;

import io.flockgate.gateway.http.Reply;
import io.flockgate.text.Quoting;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The reason that an operator gives for an order, which goes into the log. */
public final class OperatorReason {
    private static final int MAX_BYTES = 256;

    private static final Reply REQUIRED = RestReplies.badRequest("reason required, up to 256 bytes");
    private static final Reply TOO_LONG = RestReplies.badRequest("reason too long (max 256 bytes)");

    /**
     * Letters and symbols that are invisible: the Hangul fillers, and the blank Braille pattern.
     */
    private static final String BLANKS = "\u115f\u1160\u2800\u3164\uffa0";

    private OperatorReason() {}

    /** The refusal of an order that needs a reason; null if it has one. */
    public static @Nullable Reply refusal(String text) {
        return text.codePoints().anyMatch(OperatorReason::isVisible) ? refusalOfOptional(text) : REQUIRED;
    }

    private static boolean isVisible(int c) {
        return c != ' ' && Quoting.isPrintable(c) && !isMark(c) && BLANKS.indexOf(c) < 0;
    }

    /** Marks are visible only on a letter before them, if at all. */
    private static boolean isMark(int c) {
        return switch (Character.getType(c)) {
            case Character.NON_SPACING_MARK, Character.ENCLOSING_MARK, Character.COMBINING_SPACING_MARK -> true;
            default -> false;
        };
    }

    /** The refusal of an order that may have a reason; null if the reason is short enough. */
    public static @Nullable Reply refusalOfOptional(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES ? TOO_LONG : null;
    }
}
