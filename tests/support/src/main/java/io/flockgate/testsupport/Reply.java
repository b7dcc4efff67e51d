package io.flockgate.testsupport;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.List;

/**
 * The action of a fixture on one HTTP request. A reply that neither writes nor closes leaves its
 * client waiting.
 */
public interface Reply {
    void send(ReceivedRequest request, Socket client) throws IOException;

    /** A complete answer. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Answer(int status, List<String> headers, byte[] body) implements Reply {
        @Override
        public void send(ReceivedRequest request, Socket client) throws IOException {
            var bytes = new ByteArrayOutputStream();
            StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " Whatever\r\n");
            headers.forEach(header -> head.append(header).append("\r\n"));
            head.append(status == 204 ? "\r\n" : "Content-Length: " + body.length + "\r\n\r\n");
            bytes.writeBytes(head.toString().getBytes(UTF_8));
            bytes.writeBytes(body);
            client.getOutputStream().write(bytes.toByteArray());
        }
    }

    /** An answer with the headers of these lines. */
    static Answer status(int status, String body, String... headers) {
        return new Answer(status, List.of(headers), body.getBytes(UTF_8));
    }

    /** These bytes, and the end of the connection if requested. */
    static Reply raw(String text, boolean close) {
        return (request, client) -> {
            client.getOutputStream().write(text.getBytes(UTF_8));
            if (close) {
                client.close();
            }
        };
    }

    /** The end of the connection without an answer. */
    static Reply end() {
        return raw("", true);
    }

    /** A reset of the connection. */
    static Reply reset() {
        return (request, client) -> {
            client.setSoLinger(true, 0);
            client.close();
        };
    }

    /** No answer, on a connection that stays open. */
    static Reply hang() {
        return raw("", false);
    }
}
