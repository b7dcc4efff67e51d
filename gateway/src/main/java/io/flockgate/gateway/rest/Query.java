package io.flockgate.gateway.rest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.flockgate.gateway.http.FaultException;
import io.flockgate.gateway.http.RequestTarget;
import io.flockgate.text.Utf8;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a query. If a parameter is given twice, the last one counts. Immutable.
 *
 * @param values by name, percent-encoded
 */
public record Query(Map<String, String> values) {
    private static final Pattern SHOWN_NAME = Pattern.compile("[a-z_]{1,40}");

    /**
     * Reads the text after the question mark.
     *
     * @throws FaultException if it is not percent-encoded
     */
    public static Query parse(@Nullable String query) {
        Map<String, String> values = new HashMap<>();
        for (String part : query == null || query.isEmpty() ? new String[0] : query.split("&", -1)) {
            int equals = part.indexOf('=');
            String name = decoded(equals < 0 ? part : part.substring(0, equals));
            String value = equals < 0 ? "" : part.substring(equals + 1);
            if (name == null || RequestTarget.decode(value) == null) {
                throw malformed(name, "must be percent-encoded");
            }
            values.put(name, value);
        }
        return new Query(values);
    }

    /**
     * Reads the text after the question mark, all of whose values are text.
     *
     * @throws FaultException if it is not UTF-8, percent-encoded
     */
    public static Query parseText(@Nullable String query) {
        Query read = parse(query);
        for (String name : read.values.keySet()) {
            String unused = read.text(name);
        }
        return read;
    }

    /** A fault of the query. Names the parameter, if its name is a plausible one. */
    private static FaultException malformed(@Nullable String name, String rule) {
        boolean shown = name != null && SHOWN_NAME.matcher(name).matches();
        return new FaultException("malformed query" + (shown ? ": " + name + " " + rule : ""));
    }

    private static @Nullable String decoded(String text) {
        byte[] bytes = RequestTarget.decode(text);
        return bytes == null ? null : Utf8.decode(bytes);
    }

    public boolean has(String name) {
        return values.containsKey(name);
    }

    /** The bytes of a parameter, in which a plus is a plus; none if it is not given. */
    byte[] bytes(String name) {
        return Objects.requireNonNull(RequestTarget.decode(values.getOrDefault(name, "")), "checked before");
    }

    /**
     * The whole number of a parameter.
     *
     * @param absent the number if it is not given
     * @throws FaultException if the number is not in the range
     */
    public long number(String name, long min, long max, long absent) {
        String text = has(name) ? new String(bytes(name), ISO_8859_1) : Long.toString(absent);
        BigInteger number = text.matches("[0-9]{1,19}") ? new BigInteger(text) : BigInteger.valueOf(min - 1);
        if (number.compareTo(BigInteger.valueOf(min)) < 0 || number.compareTo(BigInteger.valueOf(max)) > 0) {
            throw new FaultException(name + " must be a whole number from " + min + " to " + max);
        }
        return number.longValueExact();
    }

    /**
     * The constant with this text for its name.
     *
     * @throws FaultException if there is none
     */
    static <E extends Enum<E>> E constant(String parameter, String text, E[] constants) {
        return Arrays.stream(constants)
                .filter(each -> nameOf(each).equals(text))
                .findFirst()
                .orElseThrow(() -> new FaultException(parameter + " must be "
                        + Arrays.stream(constants).map(Query::nameOf).collect(Collectors.joining(" or "))));
    }

    private static String nameOf(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /**
     * The text of a parameter, in which a plus is a space, as forms write it; null if it is not
     * given.
     *
     * @throws FaultException if it is not UTF-8
     */
    public @Nullable String text(String name) {
        String value = values.get(name);
        String text = value == null ? null : decoded(value.replace('+', ' '));
        if (value != null && text == null) {
            throw malformed(name, "must be UTF-8, percent-encoded");
        }
        return text;
    }

    /**
     * The value of a parameter that is true or false; null if it is not given.
     *
     * @throws FaultException if it is neither
     */
    @Nullable
    Boolean flag(String name) {
        return switch (text(name)) {
            case null -> null;
            case "true" -> true;
            case "false" -> false;
            case String other -> throw new FaultException(name + " must be true or false");
        };
    }
}
