package io.flockgate.gateway.http;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Percent-encoding between bytes and the text of a request target, whose characters stand for one
 * byte each.
 */
public final class PercentCoding {
    private static final String UNRESERVED = "-._~";
    private static final String DIGITS = "0123456789ABCDEF";

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
        StringBuilder text = new StringBuilder();
        for (byte b : bytes) {
            if ((b >= '0' && b <= '9')
                    || (b >= 'A' && b <= 'Z')
                    || (b >= 'a' && b <= 'z')
                    || UNRESERVED.indexOf(b) >= 0) {
                text.append((char) b);
            } else {
                text.append('%').append(DIGITS.charAt((b >> 4) & 15)).append(DIGITS.charAt(b & 15));
            }
        }
        return text.toString();
    }
}
