package io.flockgate.text;

/**
 * Writes values into lines of {@code key=value} text. An unambiguous value is written bare, any
 * other in double quotes with escapes. The result is one line of printable characters, whatever the
 * value contains; only {@link #escaped} keeps line feeds.
 */
public final class Quoting {
    private static final String ELLIPSIS = "…";
    private static final int DELETE = 0x7f;

    private Quoting() {}

    /** The value in double quotes, always. */
    public static String quoted(String value) {
        StringBuilder out = new StringBuilder(value.length() + 2);
        appendQuoted(out, value);
        return out.toString();
    }

    /** The text with an escape for each character that is neither printable nor a line feed. */
    public static String escaped(String text) {
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            if (c == '\n') {
                out.append('\n');
            } else {
                appendOther(out, c);
            }
        });
        return out.toString();
    }

    /** Appends the value: in quotes if it needs them, and cut after {@code limit} characters. */
    public static void append(StringBuilder out, String value, int limit) {
        String bounded = value.length() <= limit ? value : value.substring(0, limit) + ELLIPSIS;
        if (needsQuotes(bounded)) {
            appendQuoted(out, bounded);
        } else {
            out.append(bounded);
        }
    }

    private static boolean needsQuotes(String value) {
        int at = 0;
        while (at < value.length()) {
            int c = value.codePointAt(at);
            if (!isBare(c)) {
                return true;
            }
            at += Character.charCount(c);
        }
        return value.isEmpty();
    }

    private static boolean isBare(int c) {
        return c != ' ' && c != '=' && c != '"' && isPrintable(c);
    }

    private static void appendQuoted(StringBuilder out, String value) {
        out.append('"');
        value.codePoints().forEach(c -> appendEscaped(out, c));
        out.append('"');
    }

    private static void appendEscaped(StringBuilder out, int c) {
        switch (c) {
            case '"' -> out.append("\\\"");
            case '\\' -> out.append("\\\\");
            case '\n' -> out.append("\\n");
            case '\r' -> out.append("\\r");
            case '\t' -> out.append("\\t");
            default -> appendOther(out, c);
        }
    }

    private static void appendOther(StringBuilder out, int c) {
        if (isPrintable(c)) {
            out.appendCodePoint(c);
        } else if (c <= DELETE) {
            out.append("\\x").append(hex(c, 2));
        } else if (Character.isBmpCodePoint(c)) {
            out.append("\\u").append(hex(c, 4));
        } else {
            out.append("\\U").append(hex(c, 8));
        }
    }

    private static String hex(int c, int digits) {
        String hex = Integer.toHexString(c);
        return "0".repeat(digits - hex.length()) + hex;
    }

    /**
     * Letters, marks, numbers, punctuation, symbols and the ASCII space; not format characters such
     * as the bidirectional marks.
     */
    public static boolean isPrintable(int c) {
        if (c < DELETE) {
            return c >= ' ';
        }
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SPACE_SEPARATOR -> false;
            default -> true;
        };
    }
}
