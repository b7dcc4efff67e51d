package io.flockgate.consul.json;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads JSON strictly as RFC 8259 defines it: one value in UTF-8 with nothing after it. A name that
 * occurs twice in one object is refused, as are texts that are longer or more deeply nested than
 * the limits.
 */
public final class JsonReader {
    /** The maximum nesting depth of objects and lists. */
    public static final int MAX_DEPTH = 64;

    /** The maximum length of a number, in characters. */
    public static final int MAX_NUMBER = 64;

    private final String text;
    private int at;

    private JsonReader(String text) {
        this.text = text;
    }

    /**
     * Reads a value from UTF-8.
     *
     * @param maxBytes the maximum length accepted
     * @throws JsonException if it is not JSON, or is beyond the limits
     */
    public static JsonValue read(byte[] utf8, int maxBytes) {
        if (utf8.length > maxBytes) {
            throw new JsonException("the text has more than " + maxBytes + " bytes");
        }
        String text = new String(utf8, StandardCharsets.UTF_8);
        // The decoder replaces invalid UTF-8 with this character, which a text may also contain
        // legitimately.
        if (text.indexOf('\ufffd') >= 0 && !Arrays.equals(text.getBytes(StandardCharsets.UTF_8), utf8)) {
            throw new JsonException("the text is not UTF-8");
        }
        return read(text);
    }

    /** Reads an object from UTF-8; see {@link #read(byte[], int)}. */
    public static JsonObject readObject(byte[] utf8, int maxBytes) {
        if (read(utf8, maxBytes) instanceof JsonObject object) {
            return object;
        }
        throw new JsonException("the text is no object");
    }

    private static JsonValue read(String text) {
        JsonReader reader = new JsonReader(text);
        JsonValue value = reader.value(0);
        reader.skipBlanks();
        reader.require(reader.at == text.length(), "nothing more");
        return value;
    }

    private JsonValue value(int depth) {
        skipBlanks();
        char first = peek();
        if (first == '{') {
            return object(deeper(depth));
        }
        if (first == '[') {
            return array(deeper(depth));
        }
        if (first == '"') {
            return new JsonString(string());
        }
        return isDigit(first) || first == '-' ? number() : literal();
    }

    private int deeper(int depth) {
        require(depth < MAX_DEPTH, "at most " + MAX_DEPTH + " levels");
        return depth + 1;
    }

    private JsonObject object(int depth) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        at++;
        if (isNext('}')) {
            return new JsonObject(members);
        }
        do {
            skipBlanks();
            String name = string();
            require(isNext(':'), "a colon");
            require(members.put(name, value(depth)) == null, "each name once");
        } while (isNext(','));
        require(isNext('}'), "the end of an object");
        return new JsonObject(members);
    }

    private JsonArray array(int depth) {
        List<JsonValue> values = new ArrayList<>();
        at++;
        if (isNext(']')) {
            return new JsonArray(values);
        }
        do {
            values.add(value(depth));
        } while (isNext(','));
        require(isNext(']'), "the end of a list");
        return new JsonArray(values);
    }

    private JsonLiteral literal() {
        JsonLiteral literal = JsonLiteral.at(text, at);
        if (literal == null) {
            throw expected("a value");
        }
        at += literal.toString().length();
        return literal;
    }

    private JsonNumber number() {
        int start = at;
        skip('-');
        require(isDigit(peek()), "a digit");
        if (!skip('0')) {
            skipDigits();
        }
        if (skip('.')) {
            require(isDigit(peek()), "a digit");
            skipDigits();
        }
        if (skip('e') || skip('E')) {
            boolean unused = skip('+') || skip('-');
            require(isDigit(peek()), "a digit");
            skipDigits();
        }
        require(at - start <= MAX_NUMBER, "a number of at most " + MAX_NUMBER + " characters");
        return new JsonNumber(text.substring(start, at));
    }

    private String string() {
        require(peek() == '"', "a text");
        int start = ++at;
        while (peek() != '"' && peek() != '\\') {
            requirePlain();
            at++;
        }
        String plain = text.substring(start, at);
        return skip('"') ? plain : escaped(plain);
    }

    /** The rest of a string that contains escapes. */
    private String escaped(String plain) {
        StringBuilder string = new StringBuilder(plain);
        while (peek() != '"') {
            requirePlain();
            char c = text.charAt(at++);
            string.append(c == '\\' ? escaped() : c);
        }
        at++;
        return paired(string.toString());
    }

    private void requirePlain() {
        require(at < text.length(), "the end of a text");
        require(text.charAt(at) >= ' ', "no control character");
    }

    private char escaped() {
        char c = peek();
        at++;
        if (c == 'u') {
            require(at + 4 <= text.length(), "four hexadecimal digits");
            int code = 0;
            for (int end = at + 4; at < end; at++) {
                int digit = Character.digit(text.charAt(at), 16);
                require(digit >= 0 && text.charAt(at) < 0x7f, "four hexadecimal digits");
                code = code << 4 | digit;
            }
            return (char) code;
        }
        int meaning = "\"\\/bfnrt".indexOf(c);
        require(meaning >= 0, "a known escape");
        return "\"\\/\b\f\n\r\t".charAt(meaning);
    }

    private String paired(String string) {
        boolean whole = string.codePoints()
                .noneMatch(point -> point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE);
        require(whole, "whole characters");
        return string;
    }

    private void skipBlanks() {
        while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private void skipDigits() {
        while (isDigit(peek())) {
            at++;
        }
    }

    private boolean isNext(char c) {
        skipBlanks();
        return skip(c);
    }

    private boolean skip(char c) {
        boolean found = peek() == c;
        if (found) {
            at++;
        }
        return found;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    /** The next character; at the end, one that never occurs in JSON. */
    private char peek() {
        return at < text.length() ? text.charAt(at) : Character.MAX_VALUE;
    }

    private void require(boolean condition, String what) {
        if (!condition) {
            throw expected(what);
        }
    }

    private JsonException expected(String what) {
        return new JsonException("no JSON: " + what + " expected at character " + at);
    }
}
