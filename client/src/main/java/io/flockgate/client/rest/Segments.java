package io.flockgate.client.rest;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Encodes texts as segments of a path. Pure. */
final class Segments {
    private Segments() {}

    /**
     * A text with all bytes escaped except letters, digits, {@code -}, {@code _} and {@code ~}.
     * Dots are escaped because they could name the parent.
     */
    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A")
                .replace(".", "%2E")
                .replace("%7E", "~");
    }
}
