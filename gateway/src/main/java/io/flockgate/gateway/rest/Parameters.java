package io.flockgate.gateway.rest;

import io.flockgate.gateway.http.PercentCoding;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a query, as bytes. A plus stays a plus. If a parameter is given twice, the last
 * one counts.
 */
final class Parameters {
    private final Map<String, byte[]> values = new HashMap<>();

    private Parameters() {}

    static Parameters parse(@Nullable String query) {
        Parameters parameters = new Parameters();
        for (String part : query == null ? new String[0] : query.split("&", -1)) {
            int equals = part.indexOf('=');
            String name = equals < 0 ? part : part.substring(0, equals);
            byte[] value = PercentCoding.decode(equals < 0 ? "" : part.substring(equals + 1));
            if (value == null) {
                throw Query.malformed(name, "must be percent-encoded");
            }
            parameters.values.put(name, value);
        }
        return parameters;
    }

    /** The value of a parameter; null if it is not given. */
    byte @Nullable [] value(String name) {
        return values.get(name);
    }
}
