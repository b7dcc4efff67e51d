package io.flockgate.cli.shared;

import io.flockgate.text.Quoting;
import java.util.HexFormat;

/**
 * The two written forms of a fence: 16 hex digits, and a decimal number without sign. Commands
 * accept both and print both.
 */
public final class Fences {
    private static final HexFormat HEX = HexFormat.of();
    private static final int HEX_DIGITS = 16;

    private Fences() {}

    /**
     * Reads a fence. Text of 16 hex digits is hexadecimal, even if all of them are decimal digits.
     *
     * @throws CommandException if the text has neither form
     */
    public static long of(String text) {
        try {
            return text.length() == HEX_DIGITS ? HexFormat.fromHexDigitsToLong(text) : Long.parseUnsignedLong(text);
        } catch (IllegalArgumentException e) {
            throw CommandException.usage("--fence must be 16 hex digits or a decimal number, as flockgate show prints"
                    + " them (got " + Quoting.quoted(text) + ")");
        }
    }

    /** As 16 hex digits. */
    public static String hex(long fence) {
        return HEX.toHexDigits(fence);
    }

    /** As a decimal number. */
    public static String decimal(long fence) {
        return Long.toUnsignedString(fence);
    }
}
