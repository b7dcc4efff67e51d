package io.flockgate.gateway.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.flockgate.text.PercentEncoding;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Percent-encoding between bytes and the text of a request target, whose characters stand for one
 * byte each.
 */
public final class PercentCoding {
    private PercentCoding() {}

    /**
     * The bytes that the text stands for; null when a percent sign is not followed by two hex
     * digits. A plus sign stands for itself.
     */
    public static byte @Nullable [] decode(String text) {
        byte[] bytes = new byte[text.length()];
        int count = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c != '%') {
                bytes[count++] = (byte) c;
                continue;
            }
            int high = i + 2 < text.length() ? Character.digit(text.charAt(i + 1), 16) : -1;
            int low = i + 2 < text.length() ? Character.digit(text.charAt(i + 2), 16) : -1;
            if (high < 0 || low < 0 || text.charAt(i + 1) > 'f' || text.charAt(i + 2) > 'f') {
                return null;
            }
            bytes[count++] = (byte) (high << 4 | low);
            i += 2;
        }
        return count == bytes.length ? bytes : Arrays.copyOf(bytes, count);
    }

    /** Text that stands for these bytes in any part of a request target. */
    public static String encode(byte[] bytes) {
        return PercentEncoding.of(new String(bytes, ISO_8859_1), ISO_8859_1);
    }
}
