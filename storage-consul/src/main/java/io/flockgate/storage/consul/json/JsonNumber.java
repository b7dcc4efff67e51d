package io.flockgate.storage.consul.json;

import org.jspecify.annotations.Nullable;

/**
 * A number as it was written, so that the numbers in unknown fields are kept digit by digit.
 *
 * @param text the number in the form of JSON
 */
public record JsonNumber(String text) implements JsonValue {
    public static JsonNumber of(long value) {
        return new JsonNumber(Long.toString(value));
    }

    /** The number as a signed 64-bit integer. A fraction or an exponent is refused. */
    public long toLong() {
        Long whole = toLongOrNull();
        if (whole == null) {
            throw new JsonException("a number is no whole number of 64 bits");
        }
        return whole;
    }

    /**
     * The number as a signed 64-bit integer; null if it is too large, or has a fraction or an
     * exponent.
     */
    public @Nullable Long toLongOrNull() {
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException other) {
            return null;
        }
    }

    /** The number as an unsigned 64-bit integer. A sign, a fraction or an exponent is refused. */
    public long toUnsignedLong() {
        try {
            return Long.parseUnsignedLong(text);
        } catch (NumberFormatException other) {
            throw new JsonException("a number is no whole number of 64 bits without a sign");
        }
    }

    @Override
    public void writeTo(StringBuilder to) {
        to.append(text);
    }

    @Override
    public String toString() {
        return text;
    }
}
