package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.testsupport.LineClient;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

/**
 * A blocking connection to the REST API that sends exactly the given bytes, as Latin-1 text. No
 * read waits for longer than {@link LineClient#PATIENCE}.
 */
public final class RawHttp implements AutoCloseable {
    /** A request that is always answered. */
    public static final String GET = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";

    /** The body of its answer. */
    static final String OK = "{\"status\":\"ok\"}\n";

    private final LineClient client;
    private final ResponseReader reader;

    public RawHttp(Socket socket) throws IOException {
        client = LineClient.over(socket);
        reader = new ResponseReader(client.input());
    }

    public static RawHttp of(int port) throws IOException {
        return new RawHttp(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    /** The bytes of a request; {@code headers} are whole lines with their ends. */
    public static String request(String method, String target, String headers, String body) {
        boolean framed = headers.contains("Transfer-Encoding:") || headers.contains("Content-Length:");
        boolean hasLength = !framed && (!body.isEmpty() || method.equals("POST"));
        return method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers
                + (hasLength ? "Content-Length: " + body.length() + "\r\n" : "") + "\r\n" + body;
    }

    public void send(String text) throws IOException {
        client.send(text);
    }

    /** One request and its response. */
    public Response ask(String method, String target, String headers, String body) throws IOException {
        send(request(method, target, headers, body));
        return response(method.equals("HEAD"));
    }

    Response get(String target) throws IOException {
        return ask("GET", target, "", "");
    }

    /** The next response to a request other than HEAD. */
    Response response() throws IOException {
        return response(false);
    }

    Response response(boolean head) throws IOException {
        try {
            return reader.read(head);
        } catch (EOFException e) {
            throw new AssertionError("closed after '" + reader.unfinished() + "'", e);
        } catch (SocketTimeoutException e) {
            throw new AssertionError("no answer after '" + reader.unfinished() + "'", e);
        }
    }

    /** The next response, after which the connection must end. */
    Response lastResponse() throws IOException {
        Response response = response();
        expectClosed();
        return response;
    }

    void expectClosed() throws IOException {
        String rest = rest();
        if (!rest.isEmpty()) {
            throw new AssertionError("not closed: '" + rest + "'");
        }
    }

    /** Reads to the end and returns what came before it. A reset is an end too. */
    String rest() throws IOException {
        return client.rest();
    }

    /**
     * Reads until these bytes have arrived, in an answer that may continue. Returns everything that
     * has arrived since the previous call.
     */
    @CanIgnoreReturnValue
    String awaitBytes(String wanted) throws IOException {
        StringBuilder come = new StringBuilder();
        long start = System.nanoTime();
        while (!endsWith(come, wanted)) {
            // Each read has its own patience, and the server may keep sending something else.
            if (System.nanoTime() - start > 2 * LineClient.PATIENCE.toNanos()) {
                throw new AssertionError("no '" + wanted + "' in '" + come + "'");
            }
            int next = client.input().read();
            if (next < 0) {
                throw new AssertionError("closed after '" + come + "'");
            }
            come.append((char) next);
        }
        return come.toString();
    }

    private static boolean endsWith(StringBuilder text, String end) {
        int from = text.length() - end.length();
        return from >= 0 && text.indexOf(end, from) == from;
    }

    /**
     * Shows that no answer has arrived, although the server has answered other requests since it
     * read all those on this connection.
     */
    void expectNoAnswerYet() throws IOException {
        try (RawHttp other = of(client.socket().getPort())) {
            // The first request may be read in the same turn of the event loop as those before it,
            // but the second cannot.
            assertThat(other.get("/health").status()).isEqualTo(200);
            assertThat(other.get("/health").status()).isEqualTo(200);
        }
        assertThat(client.input().available()).as("bytes that have come").isZero();
    }

    /** Sends text that the server need not accept in full. */
    void sendInVain(String text) {
        try {
            send(text);
        } catch (IOException closed) {
            return;
        }
    }

    /** Sends a piece ten times a second, until the server ends the connection. */
    void drip(String piece, int times) {
        try {
            for (int i = 0; i < times; i++) {
                send(piece);
                Thread.sleep(100);
            }
        } catch (IOException closed) {
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void patience(Duration howLong) throws IOException {
        LineClient unused = client.patience(howLong);
    }

    /** Ends the sending side only. */
    void halfClose() throws IOException {
        client.halfClose();
    }

    /** Ends with a reset, where close would end the connection gracefully. */
    void reset() throws IOException {
        client.reset();
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
