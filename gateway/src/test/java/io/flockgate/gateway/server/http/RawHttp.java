package io.flockgate.gateway.server.http;

import io.flockgate.testsupport.LineClient;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * A blocking connection to the REST API that sends exactly what it is told, in bytes as Latin-1 text. No read waits for
 * longer than {@link LineClient#PATIENCE}.
 */
final class RawHttp implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final ResponseReader reader;

    RawHttp(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        patience(LineClient.PATIENCE);
        in = new BufferedInputStream(socket.getInputStream());
        out = socket.getOutputStream();
        reader = new ResponseReader(in);
    }

    static RawHttp of(int port) throws IOException {
        return new RawHttp(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    /** The bytes of a request; {@code headers} are whole lines with their ends. */
    static String request(String method, String target, String headers, String body) {
        boolean framed = headers.contains("Transfer-Encoding:") || headers.contains("Content-Length:");
        boolean hasLength = !framed && (!body.isEmpty() || method.equals("POST"));
        return method + " " + target + " HTTP/1.1\r\nHost: flockgate\r\n" + headers
                + (hasLength ? "Content-Length: " + body.length() + "\r\n" : "") + "\r\n" + body;
    }

    void send(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** One request and its response. */
    Response ask(String method, String target, String headers, String body) throws IOException {
        send(request(method, target, headers, body));
        return response(method.equals("HEAD"));
    }

    Response get(String target) throws IOException {
        return ask("GET", target, "", "");
    }

    /** The next response to something else than a HEAD. */
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

    /** The next response, and then the end. */
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

    /** Reads to the end; what came before it. A reset is an end too. */
    String rest() throws IOException {
        ByteArrayOutputStream rest = new ByteArrayOutputStream();
        try {
            for (int b = in.read(); b >= 0; b = in.read()) {
                rest.write(b);
            }
        } catch (SocketTimeoutException e) {
            throw new AssertionError("not closed after '" + rest.toString(StandardCharsets.ISO_8859_1) + "'", e);
        } catch (IOException e) {
            return rest.toString(StandardCharsets.ISO_8859_1);
        }
        return rest.toString(StandardCharsets.ISO_8859_1);
    }

    /** Nothing to read now, and not closed either. */
    void expectSilence(Duration howLong) throws IOException {
        patience(howLong);
        try {
            int b = in.read();
            throw new AssertionError(b < 0 ? "closed" : "a byte came: " + (char) b);
        } catch (SocketTimeoutException expected) {
            patience(LineClient.PATIENCE);
        }
    }

    void patience(Duration howLong) throws IOException {
        socket.setSoTimeout(Math.toIntExact(howLong.toMillis()));
    }

    /** Ends the sending side only. */
    void halfClose() throws IOException {
        socket.shutdownOutput();
    }

    /** Ends with a reset where close would end with a farewell. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
