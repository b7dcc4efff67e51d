package io.flockgate.gateway.stats;

import java.math.BigDecimal;

/** JSON strings and numbers in the form that dflockd's clients know. */
public final class JsonText {
    private static final double NANOS = 1e9;

    private JsonText() {}

    /**
     * A string of UTF-8 bytes with the escapes of Go's encoder: also for {@code < > &}, for the line separators of Unicode, and
     * for each byte that is not UTF-8, which becomes an escaped U+FFFD.
     */
    public static void quote(byte[] utf8, StringBuilder text) {
        text.append('"');
        int i = 0;
        while (i < utf8.length) {
            int length = Utf8.lengthAt(utf8, i);
            if (length == 0) {
                escape('\ufffd', text);
                i++;
            } else {
                append(Utf8.codePointAt(utf8, i, length), text);
                i += length;
            }
        }
        text.append('"');
    }

    private static void append(int codePoint, StringBuilder text) {
        switch (codePoint) {
            case '"' -> text.append("\\\"");
            case '\\' -> text.append("\\\\");
            case '\b' -> text.append("\\b");
            case '\f' -> text.append("\\f");
            case '\n' -> text.append("\\n");
            case '\r' -> text.append("\\r");
            case '\t' -> text.append("\\t");
            case '<', '>', '&', 0x2028, 0x2029 -> escape((char) codePoint, text);
            default -> {
                if (codePoint < ' ') {
                    escape((char) codePoint, text);
                } else {
                    text.appendCodePoint(codePoint);
                }
            }
        }
    }

    private static void escape(char c, StringBuilder text) {
        text.append("\\u");
        for (int shift = 12; shift >= 0; shift -= 4) {
            text.append(Character.forDigit((c >> shift) & 15, 16));
        }
    }

    /** Nanoseconds as seconds: plain decimals without a needless {@code .0}, an exponent only below a microsecond. */
    public static void seconds(long nanos, StringBuilder text) {
        String seconds = Double.toString(nanos / NANOS);
        if (nanos > 0 && nanos < 1000) {
            text.append(seconds.replace(".0E", "e").replace('E', 'e'));
        } else {
            text.append(new BigDecimal(seconds).stripTrailingZeros().toPlainString());
        }
    }
}
