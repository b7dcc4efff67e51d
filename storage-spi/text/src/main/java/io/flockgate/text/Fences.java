package io.flockgate.text;

import java.util.HexFormat;
import java.util.OptionalLong;

/** The two written forms of a fence: 16 hex digits, and a decimal number without sign. Pure. */
public final class Fences {
    private static final HexFormat HEX = HexFormat.of();
    private static final int HEX_DIGITS = 16;

    private Fences() {}

    /**
     * The fence in either form; empty for a text that has neither. Text of 16 hex digits is
     * hexadecimal, even if all of them are decimal digits.
     */
    public static OptionalLong parse(String text) {
        try {
            if (text.length() == HEX_DIGITS) {
                return OptionalLong.of(HexFormat.fromHexDigitsToLong(text));
            }
            boolean digits = text.chars().allMatch(c -> c >= '0' && c <= '9');
            return digits ? OptionalLong.of(Long.parseUnsignedLong(text)) : OptionalLong.empty();
        } catch (IllegalArgumentException e) {
            return OptionalLong.empty();
        }
    }

    public static String hex(long fence) {
        return HEX.toHexDigits(fence);
    }

    public static String decimal(long fence) {
        return Long.toUnsignedString(fence);
    }
}
