package io.flockgate.gateway.stats;

import java.math.BigDecimal;

/** JSON strings and numbers in the form that dflockd's clients know. */
final class JsonText {
    private static final double NANOS = 1e9;

    private JsonText() {}

    /** A string with the escapes of Go's encoder: also for {@code < > &} and the line separators of Unicode. */
    static void quote(String value, StringBuilder text) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"' -> text.append("\\\"");
                case '\\' -> text.append("\\\\");
                case '\b' -> text.append("\\b");
                case '\f' -> text.append("\\f");
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                case '\t' -> text.append("\\t");
                case '<', '>', '&', '\u2028', '\u2029' -> escape(c, text);
                default -> {
                    if (c < ' ') {
                        escape(c, text);
                    } else {
                        text.append(c);
                    }
                }
            }
        }
        text.append('"');
    }

    private static void escape(char c, StringBuilder text) {
        text.append("\\u");
        for (int shift = 12; shift >= 0; shift -= 4) {
            text.append(Character.forDigit((c >> shift) & 15, 16));
        }
    }

    /** Nanoseconds as seconds: plain decimals without a needless {@code .0}, an exponent only below a microsecond. */
    static void seconds(long nanos, StringBuilder text) {
        if (nanos > 0 && nanos < 1000) {
            text.append(BigDecimal.valueOf(nanos).stripTrailingZeros().toPlainString());
            text.append("e-9");
            return;
        }
        text.append(new BigDecimal(Double.toString(nanos / NANOS))
                .stripTrailingZeros()
                .toPlainString());
    }
}
