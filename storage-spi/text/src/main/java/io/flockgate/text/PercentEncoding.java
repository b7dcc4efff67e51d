package io.flockgate.text;

import java.net.URLEncoder;
import java.nio.charset.Charset;

/** Encodes texts for any part of a URI (RFC 3986). Pure. */
public final class PercentEncoding {
    private PercentEncoding() {}

    /** The text with an escape for each byte that is not an unreserved character. */
    public static String of(String text, Charset charset) {
        // Unlike forms, URIs have no plus for a space, and an asterisk is reserved, a tilde not.
        return URLEncoder.encode(text, charset)
                .replace("+", "%20")
                .replace("*", "%2A")
                .replace("%7E", "~");
    }
}
