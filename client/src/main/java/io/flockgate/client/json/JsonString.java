package io.flockgate.client.json;

/** A text. */
public record JsonString(String value) implements JsonValue {
    private static final char[] HEX = "0123456789abcdef".toCharArray();

    @Override
    public void writeTo(StringBuilder text) {
        write(value, text);
    }

    static void write(String value, StringBuilder text) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ' || c == 0x7f || isUnpaired(value, i)) {
                text.append("\\u");
                for (int shift = 12; shift >= 0; shift -= 4) {
                    text.append(HEX[c >> shift & 0xf]);
                }
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }

    /** Half of a pair has no form in UTF-8. */
    private static boolean isUnpaired(String value, int at) {
        char c = value.charAt(at);
        if (Character.isHighSurrogate(c)) {
            return at + 1 == value.length() || !Character.isLowSurrogate(value.charAt(at + 1));
        }
        return Character.isLowSurrogate(c) && (at == 0 || !Character.isHighSurrogate(value.charAt(at - 1)));
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(value.length() + 2);
        writeTo(text);
        return text.toString();
    }
}
