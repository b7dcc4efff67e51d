package io.flockgate.gateway.server.http;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads responses off a stream, strictly: anything but HTTP/1 as a server should write it is an
 * {@link AssertionError}. A response that ends or stalls midway leaves what has arrived in {@link
 * #unfinished}.
 */
public final class ResponseReader {
    private static final int LONGEST = 1 << 24;
    private static final Pattern STATUS = Pattern.compile("(HTTP/1\\.[01]) ([1-5][0-9]{2}) ([ -~]*)");
    private static final Pattern HEADER = Pattern.compile("[-A-Za-z0-9]+: [ -~]*");

    private final InputStream in;
    private final ByteArrayOutputStream soFar = new ByteArrayOutputStream();

    public ResponseReader(InputStream in) {
        this.in = in;
    }

    /** What has arrived of an incomplete response. */
    public String unfinished() {
        return soFar.toString(StandardCharsets.ISO_8859_1);
    }

    /**
     * The next response, an interim one included.
     *
     * @param head whether it answers a HEAD, so that it has no body whatever its headers say
     * @throws EOFException when the stream ends before the response does
     */
    public Response read(boolean head) throws IOException {
        soFar.reset();
        String first = line();
        Matcher status = STATUS.matcher(first);
        if (!status.matches()) {
            throw new AssertionError("not a status line: " + first);
        }
        int code = Integer.parseInt(status.group(2));
        List<String> headers = headers();
        Response bare = new Response(status.group(1), code, status.group(3), headers, "");
        boolean bodiless = head || code < 200 || code == 204 || code == 304;
        String body = bodiless ? "" : body(bare);
        soFar.reset();
        return new Response(bare.version(), code, bare.reason(), headers, body);
    }

    private List<String> headers() throws IOException {
        List<String> headers = new ArrayList<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            if (!HEADER.matcher(line).matches()) {
                throw new AssertionError("not a header: " + line);
            }
            headers.add(line);
        }
        return headers;
    }

    private String body(Response bare) throws IOException {
        if (bare.header("Transfer-Encoding").isPresent()) {
            if (!bare.header("Transfer-Encoding").equals(Optional.of("chunked"))
                    || bare.header("Content-Length").isPresent()) {
                throw new AssertionError("a body of no certain length: " + bare);
            }
            return chunks();
        }
        return bare.header("Content-Length").isPresent()
                ? bytes(size(bare.header("Content-Length").get(), 10))
                : toTheEnd();
    }

    private String chunks() throws IOException {
        StringBuilder body = new StringBuilder();
        for (int size = size(line(), 16); size > 0; size = size(line(), 16)) {
            body.append(bytes(size));
            expectEmptyLine();
        }
        expectEmptyLine();
        return body.toString();
    }

    private static int size(String digits, int radix) {
        int size = Integer.parseInt(digits, radix);
        if (size < 0 || size >= LONGEST) {
            throw new AssertionError("a response without end");
        }
        return size;
    }

    private void expectEmptyLine() throws IOException {
        String line = line();
        if (!line.isEmpty()) {
            throw new AssertionError("not the end of a chunk: " + line);
        }
    }

    private String bytes(int count) throws IOException {
        byte[] bytes = new byte[count];
        for (int read = 0; read < count; ) {
            int more = in.read(bytes, read, count - read);
            if (more < 0) {
                throw new EOFException("closed after '" + unfinished() + "'");
            }
            soFar.write(bytes, read, more);
            read += more;
        }
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private String toTheEnd() throws IOException {
        StringBuilder bytes = new StringBuilder();
        for (int b = in.read(); b >= 0; b = in.read()) {
            bytes.append((char) b);
        }
        return bytes.toString();
    }

    /** A line that ends with CR LF, without these. */
    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = next(); b != '\n'; b = next()) {
            line.append((char) b);
        }
        int end = line.length() - 1;
        if (end < 0 || line.charAt(end) != '\r') {
            throw new AssertionError("a line that does not end with CR LF: " + line);
        }
        return line.substring(0, end);
    }

    private int next() throws IOException {
        int b = in.read();
        if (b < 0) {
            throw new EOFException("closed after '" + unfinished() + "'");
        }
        if (soFar.size() >= LONGEST) {
            throw new AssertionError("a response without end");
        }
        soFar.write(b);
        return b;
    }
}
