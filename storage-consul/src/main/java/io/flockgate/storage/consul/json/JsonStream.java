package io.flockgate.storage.consul.json;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON piece by piece, so that a long text needs memory only for the parts that are kept.
 * Everything that is read must conform strictly to RFC 8259, as for {@link JsonReader}, except that
 * only {@link #value} detects a duplicate name. A text of another form than requested fails with a
 * {@link JsonException}. The caller limits the length of the text. Not thread safe.
 */
public final class JsonStream {
    private static final int BUFFER = 8_192;

    /** The characters that may follow a number or a literal. */
    private static final String ENDS = ",]} \t\n\r";

    /** A power of two. */
    private static final int REPEATED = 64;

    /** The number of digits that always fit into 63 bits. */
    private static final int SHORT_NUMBER = 18;

    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?");

    private static final int CODE_DIGITS = 4;

    private final InputStream in;
    private byte[] buffer;
    private int at;
    private int end;

    /** Whether the rest of the text is in the buffer. */
    private boolean ended;

    /** Whether the innermost object or list has had no member. */
    private boolean first;

    private int depth;

    /** Strings that were read by {@link #repeated}, by their hashes. */
    private final @Nullable String[] repeated = new @Nullable String[REPEATED];

    /** Reads from a stream, which stays open. */
    public JsonStream(InputStream in) {
        this(in, new byte[BUFFER], 0, false);
    }

    /** Reads a whole text. */
    public JsonStream(byte[] text) {
        this(InputStream.nullInputStream(), text, text.length, true);
    }

    private JsonStream(InputStream in, byte[] buffer, int end, boolean ended) {
        this.in = in;
        this.buffer = buffer;
        this.end = end;
        this.ended = ended;
    }

    /** Reads a value of any type. */
    JsonValue value() throws IOException {
        return switch (peek()) {
            case '{' -> object();
            case '[' -> list();
            case '"' -> new JsonString(string());
            default -> scalar();
        };
    }

    private JsonObject object() throws IOException {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        beginObject();
        for (String name = nextName(); name != null; name = nextName()) {
            require(members.put(name, value()) == null, "each name once");
        }
        return new JsonObject(members);
    }

    private JsonArray list() throws IOException {
        List<JsonValue> values = new ArrayList<>();
        beginList();
        while (nextItem()) {
            values.add(value());
        }
        return new JsonArray(values);
    }

    /** Reads {@code null}, if it is next. */
    public boolean isNull() throws IOException {
        if (peek() != 'n') {
            return false;
        }
        skip();
        return true;
    }

    public void beginObject() throws IOException {
        begin('{', "an object");
    }

    /** The name of the next member; null at the end of the object. */
    public @Nullable String nextName() throws IOException {
        if (!next('}')) {
            return null;
        }
        String name = repeated();
        require(peek() == ':', "a colon");
        at++;
        return name;
    }

    public void beginList() throws IOException {
        begin('[', "a list");
    }

    /** Whether the list has another item. False at its end. */
    public boolean nextItem() throws IOException {
        return next(']');
    }

    private void begin(char opening, String what) throws IOException {
        require(peek() == opening, what);
        require(depth < JsonReader.MAX_DEPTH, "at most " + JsonReader.MAX_DEPTH + " levels");
        depth++;
        at++;
        first = true;
    }

    private boolean next(char closing) throws IOException {
        int c = peek();
        if (c == closing) {
            at++;
            depth--;
            first = false;
            return false;
        }
        if (!first) {
            require(c == ',', "a comma");
            at++;
        }
        first = false;
        return true;
    }

    public String string() throws IOException {
        return string(raw());
    }

    private String string(int length) {
        boolean escaped = false;
        for (int i = at; i < at + length && !escaped; i++) {
            escaped = buffer[i] == '\\';
        }
        String text = escaped ? escaped(length) : plain(length);
        at += length + 1;
        return text;
    }

    /**
     * Reads a string that probably occurs often, so that equal strings are mostly the same object.
     */
    public String repeated() throws IOException {
        int length = raw();
        int hash = length;
        for (int i = at; i < at + length; i++) {
            hash = 31 * hash + buffer[i];
        }
        int place = hash & (REPEATED - 1);
        String known = repeated[place];
        if (known != null && isNext(known, length)) {
            at += length + 1;
            return known;
        }
        String text = string(length);
        repeated[place] = text;
        return text;
    }

    /** Whether the next string is this one. Only for ASCII strings without escapes. */
    private boolean isNext(String known, int length) {
        boolean same = known.length() == length;
        for (int i = 0; same && i < length; i++) {
            byte b = buffer[at + i];
            same = b == known.charAt(i) && b != '\\';
        }
        return same;
    }

    private String plain(int length) {
        String text = new String(buffer, at, length, StandardCharsets.UTF_8);
        // The decoder replaces invalid UTF-8 with this character, which a text may also contain
        // legitimately.
        boolean suspect = text.indexOf('\ufffd') >= 0;
        require(!suspect || Arrays.equals(text.getBytes(StandardCharsets.UTF_8), copy(at, length)), "UTF-8");
        return text;
    }

    private String escaped(int length) {
        String raw = plain(length);
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c != '\\') {
                text.append(c);
            } else if (raw.charAt(++i) == 'u') {
                text.append(codeUnit(raw, i + 1));
                i += CODE_DIGITS;
            } else {
                int meaning = "\"\\/bfnrt".indexOf(raw.charAt(i));
                require(meaning >= 0, "a known escape");
                text.append("\"\\/\b\f\n\r\t".charAt(meaning));
            }
        }
        require(JsonString.isWhole(text), "whole characters");
        return text.toString();
    }

    private static char codeUnit(String raw, int from) {
        int to = from + CODE_DIGITS;
        require(
                to <= raw.length() && raw.substring(from, to).chars().allMatch(HexFormat::isHexDigit),
                "four hexadecimal digits");
        return (char) HexFormat.fromHexDigits(raw, from, to);
    }

    private byte[] copy(int from, int length) {
        return Arrays.copyOfRange(buffer, from, from + length);
    }

    /** Reads a string in base64. */
    public byte[] base64() throws IOException {
        int length = raw();
        ByteBuffer encoded = ByteBuffer.wrap(buffer, at, length);
        at += length + 1;
        try {
            ByteBuffer decoded = Base64.getDecoder().decode(encoded);
            byte[] bytes = new byte[decoded.remaining()];
            decoded.get(bytes);
            return bytes;
        } catch (IllegalArgumentException other) {
            throw new JsonException("a value that is not base 64");
        }
    }

    /** The length of the next string, which is then entirely in the buffer. */
    private int raw() throws IOException {
        require(peek() == '"', "a text");
        at++;
        for (int length = 0; ; length++) {
            require(has(length), "the end of a text");
            byte c = buffer[at + length];
            if (c == '"') {
                return length;
            }
            require(c < 0 || c >= ' ', "no control character");
            // A character after a backslash does not end the string.
            length += c == '\\' ? 1 : 0;
        }
    }

    /** Reads an unsigned 64-bit integer. */
    public long unsigned() throws IOException {
        int length = shortNumber();
        if (length > 0) {
            long value = 0;
            for (int end = at + length; at < end; at++) {
                value = 10 * value + buffer[at] - '0';
            }
            return value;
        }
        JsonValue number = scalar();
        if (number instanceof JsonNumber digits) {
            return digits.toUnsignedLong();
        }
        throw expected("a number");
    }

    /** The length of the next value if it is an integer with few digits; 0 otherwise. */
    private int shortNumber() throws IOException {
        int c = peek();
        int length = 0;
        while (length <= SHORT_NUMBER && has(length) && buffer[at + length] >= '0' && buffer[at + length] <= '9') {
            length++;
        }
        boolean ends = !has(length) || ENDS.indexOf(buffer[at + length]) >= 0;
        return length <= SHORT_NUMBER && ends && (c != '0' || length == 1) ? length : 0;
    }

    public void skip() throws IOException {
        switch (peek()) {
            case '{' -> {
                beginObject();
                while (nextName() != null) {
                    skip();
                }
            }
            case '[' -> {
                beginList();
                while (nextItem()) {
                    skip();
                }
            }
            case '"' -> {
                String unused = string();
            }
            default -> {
                JsonValue unused = scalar();
            }
        }
    }

    /** A number, or a literal. */
    private JsonValue scalar() throws IOException {
        int c = peek();
        require(c != '{' && c != '[' && c != '"', "a number or a literal");
        int length = 0;
        while (has(length) && ENDS.indexOf(buffer[at + length]) < 0) {
            length++;
            require(length <= JsonReader.MAX_NUMBER, "a number of at most " + JsonReader.MAX_NUMBER + " characters");
        }
        String text = new String(buffer, at, length, StandardCharsets.ISO_8859_1);
        at += length;
        JsonLiteral literal = JsonLiteral.of(text);
        require(literal != null || NUMBER.matcher(text).matches(), "a value");
        return literal != null ? literal : new JsonNumber(text);
    }

    /** Requires that nothing follows. */
    public void end() throws IOException {
        require(peek() < 0, "nothing more");
    }

    /** The next byte that is not white space; negative at the end. */
    private int peek() throws IOException {
        while (has(0)) {
            byte c = buffer[at];
            if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
                return c & 0xff;
            }
            at++;
        }
        return -1;
    }

    /** Whether more than this number of bytes follow; they are then in the buffer. */
    private boolean has(int more) throws IOException {
        while (at + more >= end) {
            if (ended) {
                return false;
            } else if (at > 0) {
                System.arraycopy(buffer, at, buffer, 0, end - at);
                end -= at;
                at = 0;
            } else if (end == buffer.length) {
                buffer = Arrays.copyOf(buffer, 2 * buffer.length);
            }
            int got = in.read(buffer, end, buffer.length - end);
            ended = got < 0;
            end += Math.max(0, got);
        }
        return true;
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw expected(what);
        }
    }

    private static JsonException expected(String what) {
        return new JsonException("no JSON of the expected form: " + what + " expected");
    }
}
