package io.flockgate.testsupport;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** An HTTP request as a fixture received it: its first line, its header lines and its body. */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record ReceivedRequest(String line, List<String> headers, byte[] bytes) {
    /** Reads a request whose body, if any, has a length; null at the end of the connection. */
    static @Nullable ReceivedRequest read(InputStream in) throws IOException {
        String line = line(in);
        if (line == null) {
            return null;
        }
        List<String> headers = new ArrayList<>();
        for (String header = line(in); header != null && !header.isEmpty(); header = line(in)) {
            headers.add(header);
        }
        var head = new ReceivedRequest(line, headers, new byte[0]);
        List<String> length = head.headers("Content-Length");
        return length.isEmpty()
                ? head
                : new ReceivedRequest(line, headers, in.readNBytes(Integer.parseInt(length.getFirst())));
    }

    private static @Nullable String line(InputStream in) throws IOException {
        var line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                return null;
            } else if (b != '\r') {
                line.write(b);
            }
        }
        return line.toString(ISO_8859_1);
    }

    public String method() {
        return line.substring(0, line.indexOf(' '));
    }

    /** The path and the query, as received. */
    public String target() {
        return line.split(" ", -1)[1];
    }

    /** The path without the query, as received. */
    public String path() {
        return target().split("\\?", 2)[0];
    }

    /** The values of all headers of this name. */
    public List<String> headers(String name) {
        String start = name.toLowerCase(Locale.ROOT) + ":";
        return headers.stream()
                .filter(header -> header.toLowerCase(Locale.ROOT).startsWith(start))
                .map(header -> header.substring(start.length()).strip())
                .toList();
    }

    public String body() {
        return new String(bytes, UTF_8);
    }
}
