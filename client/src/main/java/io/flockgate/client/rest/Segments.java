package io.flockgate.client.rest;

import java.nio.charset.StandardCharsets;

/** Encodes texts as segments of a path. Pure. */
final class Segments {
    private static final String HEX = "0123456789ABCDEF";

    private Segments() {}

    /**
     * A text with all bytes escaped except letters, digits, {@code -}, {@code _} and {@code ~}.
     * Dots are escaped because they could name the parent.
     */
    static String encoded(String text) {
        StringBuilder segment = new StringBuilder(text.length() + 16);
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || "-_~".indexOf(c) >= 0) {
                segment.append(c);
            } else {
                segment.append('%').append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 0xf));
            }
        }
        return segment.toString();
    }
}
