package io.flockgate.storage.consul.layout;

import io.flockgate.storage.Key;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Escapes keys, which are any bytes, into names that every version of Consul accepts. Letters, digits, {@code _}, {@code -} and
 * single dots inside stay; any other byte becomes {@code ,} and two hexadecimal digits. {@code %} is no
 * escape, because newer versions decode it. {@code /} is escaped, because no key may lie below another
 * (protocol-docs/consul-layout.md, "Names").
 */
final class KeyEscape {
    private static final char ESCAPE = ',';
    private static final HexFormat HEX = HexFormat.of();

    private KeyEscape() {}

    static String escape(Key key) {
        StringBuilder escaped = new StringBuilder(key.length() + 8);
        int last = key.length() - 1;
        for (int i = 0; i <= last; i++) {
            byte b = key.byteAt(i);
            boolean innerDot = b == '.' && i > 0 && i < last && key.byteAt(i - 1) != '.' && key.byteAt(i + 1) != '.';
            if (innerDot || isPlain(b)) {
                escaped.append((char) b);
            } else {
                escaped.append(ESCAPE).append(HEX.toHexDigits(b));
            }
        }
        return escaped.toString();
    }

    private static boolean isPlain(int b) {
        return (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9') || b == '_' || b == '-';
    }

    /** The key of an escaped name; null when the name is not of a key. */
    static @Nullable Key unescape(String escaped) {
        byte[] bytes = new byte[escaped.length()];
        int length = 0;
        for (int i = 0; i < escaped.length(); i++) {
            char c = escaped.charAt(i);
            if (c > 0x7e) {
                return null;
            }
            if (c == ESCAPE) {
                if (i + 2 >= escaped.length()) {
                    return null;
                }
                char high = escaped.charAt(i + 1);
                char low = escaped.charAt(i + 2);
                if (!HexFormat.isHexDigit(high) || !HexFormat.isHexDigit(low)) {
                    return null;
                }
                bytes[length++] = (byte) (HexFormat.fromHexDigit(high) << 4 | HexFormat.fromHexDigit(low));
                i += 2;
            } else {
                bytes[length++] = (byte) c;
            }
        }
        Key key = Key.copyOf(bytes, 0, length);
        return key != null && escape(key).equals(escaped) ? key : null;
    }
}
