package io.flockgate.storage.consul.json;

/** A string. */
public record JsonString(String value) implements JsonValue {
    private static final char[] HEX = "0123456789ABCDEF".toCharArray();
    private static final String SHORT = "\"\\\b\f\n\r\t";
    private static final String SHORT_FORMS = "\"\\bfnrt";

    @Override
    public void writeTo(StringBuilder text) {
        write(value, text);
    }

    /** Writes a string without creating a value for it. */
    public static void write(String value, StringBuilder text) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c >= ' ' && c != '"' && c != '\\' && !isUnpaired(value, i)) {
                text.append(c);
            } else {
                escape(c, text);
            }
        }
        text.append('"');
    }

    private static void escape(char c, StringBuilder text) {
        int known = SHORT.indexOf(c);
        text.append('\\');
        if (known >= 0) {
            text.append(SHORT_FORMS.charAt(known));
            return;
        }
        text.append('u');
        for (int shift = 12; shift >= 0; shift -= 4) {
            text.append(HEX[c >> shift & 0xf]);
        }
    }

    /** Whether a text has no half of a surrogate pair, which UTF-8 cannot encode. */
    public static boolean isWhole(CharSequence text) {
        return text.codePoints()
                .noneMatch(point -> point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE);
    }

    private static boolean isUnpaired(String value, int at) {
        char c = value.charAt(at);
        if (!Character.isSurrogate(c)) {
            return false;
        }
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
