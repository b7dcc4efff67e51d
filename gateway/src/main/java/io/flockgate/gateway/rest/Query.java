package io.flockgate.gateway.rest;

import io.flockgate.gateway.http.PercentCoding;
import io.flockgate.text.Utf8;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The parameters of a query, as text. If a parameter is given twice, the last one counts. */
public record Query(Map<String, String> values) {
    private static final Pattern SHOWN_NAME = Pattern.compile("[a-z_]{1,40}");

    /**
     * Reads a query.
     *
     * @throws FaultException if it cannot be decoded as
     *     UTF-8
     */
    public static Query parse(@Nullable String query) {
        Map<String, String> values = new HashMap<>();
        for (String part : query == null || query.isEmpty() ? new String[0] : query.split("&", -1)) {
            int equals = part.indexOf('=');
            String name = decoded(equals < 0 ? part : part.substring(0, equals));
            // Forms write a space as a plus.
            String value = decoded(equals < 0 ? "" : part.substring(equals + 1).replace('+', ' '));
            if (name == null || value == null) {
                throw malformed(name, "must be UTF-8, percent-encoded");
            }
            values.put(name, value);
        }
        return new Query(values);
    }

    /** A fault of the query. Names the parameter, if its name is a plausible one. */
    static FaultException malformed(@Nullable String name, String rule) {
        boolean shown = name != null && SHOWN_NAME.matcher(name).matches();
        return new FaultException("malformed query" + (shown ? ": " + name + " " + rule : ""));
    }

    private static @Nullable String decoded(String text) {
        byte[] bytes = PercentCoding.decode(text);
        return bytes == null ? null : Utf8.decode(bytes);
    }

    public Optional<String> value(String name) {
        return Optional.ofNullable(values.get(name));
    }
}
