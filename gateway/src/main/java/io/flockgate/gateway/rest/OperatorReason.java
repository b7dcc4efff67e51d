package io.flockgate.gateway.rest;

import io.flockgate.text.Quoting;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** The reason that an operator gives for an order, which goes into the log. */
public final class OperatorReason {
    private static final int MAX_BYTES = 256;

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
        String reason = Objects.requireNonNullElse(query.text("reason"), "");
        if (required && reason.codePoints().noneMatch(OperatorReason::isVisible)) {
            throw new FaultException("reason required, up to 256 bytes");
        }
        if (reason.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
            throw new FaultException("reason too long (max 256 bytes)");
        }
        return reason;
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
}
