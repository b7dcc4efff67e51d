package io.flockgate.gateway.server.http;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One response as received, in Latin-1 text.
 *
 * @param version {@code HTTP/1.1} or {@code HTTP/1.0}
 * @param headers {@code Name: value}, in the order received
 * @param body without its transfer coding; empty when there was none
 */
public record Response(String version, int status, String reason, List<String> headers, String body) {
    public Response {
        headers = List.copyOf(headers);
    }

    /** The value of the only header of this name, in any case of letters. */
    public Optional<String> header(String name) {
        String start = name.toLowerCase(Locale.ROOT) + ":";
        List<String> values = headers.stream()
                .filter(header -> header.toLowerCase(Locale.ROOT).startsWith(start))
                .map(header -> header.substring(start.length()).strip())
                .toList();
        if (values.size() > 1) {
            throw new AssertionError(name + " came more than once: " + this);
        }
        return values.stream().findFirst();
    }

    /**
     * A member of the JSON body, which must be a string without escapes or a number; empty when
     * there is none.
     */
    public String member(String name) {
        Matcher matcher = Pattern.compile("\"" + Pattern.quote(name) + "\":(?:\"([^\"\\\\]*)\"|([-+.0-9eE]+))")
                .matcher(body);
        if (!matcher.find()) {
            return "";
        }
        return matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
    }

    /** The error that is reported to the client. */
    public String error() {
        return member("error");
    }

    public String token() {
        return member("token");
    }

    /** The outcome of an operation that succeeded. */
    public String outcome() {
        return member("status");
    }

    @Override
    public String toString() {
        return version + " " + status + " " + reason + "\n" + String.join("\n", headers) + "\n\n" + body;
    }
}
