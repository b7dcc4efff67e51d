package io.flockgate.gateway.rest;

import io.flockgate.text.Quoting;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The reason that an operator gives for an order, which goes into the log. */
public final class OperatorReason {
    private static final int MAX_BYTES = 256;

    private static final String REQUIRED = "reason required, up to 256 bytes";
    private static final String TOO_LONG = "reason too long (max 256 bytes)";

    /**
     * Letters and symbols that are invisible: the Hangul fillers, and the blank Braille pattern.
     */
    private static final String BLANKS = "\u115f\u1160\u2800\u3164\uffa0";

    private OperatorReason() {}

    /**
     * The reason that a query gives; empty if it gives none.
     *
     * @throws FaultException if it is too long, or missing although required
     */
    public static String of(Query query, boolean required) {
        String reason = query.value("reason").orElse("");
        String fault = required ? refusal(reason) : refusalOfOptional(reason);
        if (fault != null) {
            throw new FaultException(fault);
        }
        return reason;
    }

    /** The fault of an order that needs a reason; null if it has one. */
    static @Nullable String refusal(String text) {
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

    /** The fault of an order that may have a reason; null if the reason is short enough. */
    static @Nullable String refusalOfOptional(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES ? TOO_LONG : null;
    }
}
