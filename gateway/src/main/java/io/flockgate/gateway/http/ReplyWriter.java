package io.flockgate.gateway.http;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.function.LongSupplier;

/** Writes the bytes of replies: status line, headers, body. One for all connections of an event loop. */
final class ReplyWriter {
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("'Date: 'EEE, dd MMM yyyy HH:mm:ss 'GMT\r\n'", Locale.ROOT);
    private static final byte[][] STATUS_LINES = new byte[600][];
    private static final byte[] CONTENT_LENGTH = ascii("Content-Length: ");
    private static final byte[] CHUNKED = ascii("Transfer-Encoding: chunked\r\n");
    private static final byte[] CLOSE = ascii("Connection: close\r\n");
    private static final byte[] KEEP_ALIVE = ascii("Connection: keep-alive\r\n");
    private static final byte[] LINE_END = ascii("\r\n");
    private static final Buffer CONTINUE = Buffer.buffer("HTTP/1.1 100 Continue\r\n\r\n");

    private final LongSupplier millis;
    private byte[] date = {};
    private long dateSecond = -1;

    ReplyWriter() {
        this(System::currentTimeMillis);
    }

    /** @param millis the time of day, as {@link System#currentTimeMillis} */
    ReplyWriter(LongSupplier millis) {
        this.millis = millis;
    }

    /** What the connection adds to a reply. */
    record Framing(boolean headOnly, boolean http10, boolean close, String corsHeaders) {}

    static {
        status(200, "OK");
        status(204, "No Content");
        status(307, "Temporary Redirect");
        status(400, "Bad Request");
        status(401, "Unauthorized");
        status(404, "Not Found");
        status(405, "Method Not Allowed");
        status(409, "Conflict");
        status(410, "Gone");
        status(413, "Content Too Large");
        status(417, "Expectation Failed");
        status(429, "Too Many Requests");
        status(431, "Request Header Fields Too Large");
        status(500, "Internal Server Error");
        status(501, "Not Implemented");
        status(503, "Service Unavailable");
        status(505, "HTTP Version Not Supported");
    }

    private static void status(int status, String reason) {
        STATUS_LINES[status] = ascii("HTTP/1.1 " + status + " " + reason + "\r\n");
    }

    static Buffer toContinue() {
        return CONTINUE.copy();
    }

    /** A whole reply. */
    Buffer write(Reply reply, Framing framing) {
        byte[] body = reply.body();
        Buffer bytes = begin(reply);
        if (reply.status() != 204) {
            bytes.appendBytes(CONTENT_LENGTH)
                    .appendBytes(ascii(Integer.toString(body.length)))
                    .appendBytes(LINE_END);
        }
        end(bytes, reply, framing);
        return framing.headOnly() ? bytes : bytes.appendBytes(body);
    }

    /** The head of a reply whose length is not known yet; its body goes out in chunks, or up to the end of the connection. */
    Buffer writeHead(Reply reply, Framing framing) {
        Buffer bytes = begin(reply);
        if (!framing.http10()) {
            bytes.appendBytes(CHUNKED);
        }
        end(bytes, reply, framing);
        return bytes;
    }

    private static Buffer begin(Reply reply) {
        return Buffer.buffer(256 + reply.body().length)
                .appendBytes(STATUS_LINES[reply.status()])
                .appendBytes(reply.content().headers());
    }

    private void end(Buffer bytes, Reply reply, Framing framing) {
        if (!reply.headers().isEmpty()) {
            bytes.appendBytes(ascii(reply.headers()));
        }
        if (!framing.corsHeaders().isEmpty()) {
            bytes.appendBytes(ascii(framing.corsHeaders()));
        }
        bytes.appendBytes(date());
        if (framing.close()) {
            bytes.appendBytes(CLOSE);
        } else if (framing.http10()) {
            bytes.appendBytes(KEEP_ALIVE);
        }
        bytes.appendBytes(LINE_END);
    }

    /** A part of a body whose length was not known. */
    static Buffer chunk(Buffer part, boolean last) {
        Buffer bytes = Buffer.buffer(part.length() + 24);
        if (part.length() > 0) {
            bytes.appendBytes(ascii(Integer.toHexString(part.length())))
                    .appendBytes(LINE_END)
                    .appendBuffer(part)
                    .appendBytes(LINE_END);
        }
        return last ? bytes.appendString("0\r\n\r\n") : bytes;
    }

    private byte[] date() {
        long second = millis.getAsLong() / 1000;
        if (second != dateSecond) {
            dateSecond = second;
            date = ascii(DATE.format(Instant.ofEpochSecond(second).atOffset(ZoneOffset.UTC)));
        }
        return date;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
