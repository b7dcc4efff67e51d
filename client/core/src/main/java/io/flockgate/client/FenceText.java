package io.flockgate.client;

import java.util.HexFormat;
import java.util.OptionalLong;

/** Fences in messages. Pure. */
final class FenceText {
    private FenceText() {}

    /**
     * The fence in both of its forms, as {@code , fence 18a6c3f2b91d4007 = 1776247000000004103};
     * nothing without one.
     */
    static String of(OptionalLong fence) {
        if (fence.isEmpty()) {
            return "";
        }
        long number = fence.getAsLong();
        return ", fence " + HexFormat.of().toHexDigits(number) + " = " + Long.toUnsignedString(number);
    }
}
