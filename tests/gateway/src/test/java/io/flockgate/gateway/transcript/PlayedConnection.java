package io.flockgate.gateway.transcript;

import io.flockgate.gateway.server.http.Response;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** One connection as a client has it, read line by line. Every wait for the server is bounded. */
class PlayedConnection implements AutoCloseable {
    private static final int LONGEST_LINE = 1 << 20;

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private int chunk = Integer.MAX_VALUE;

    PlayedConnection(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    /** Something received from the server. */
    sealed interface Received {
        record Line(String latin1) implements Received {}

        /** Only on a connection that speaks HTTP. */
        record Message(Response response) implements Received {}

        /** Something other than HTTP, on a connection that speaks HTTP. */
        record Garbage(String why) implements Received {}

        /**
         * The server has closed the connection; {@code rest} is what arrived without a line feed.
         */
        record End(String rest) implements Received {}

        /** Nothing yet, or an unfinished line. */
        record Silence(String rest) implements Received {}
    }

    final InputStream in() {
        return in;
    }

    final void patience(Duration patience) throws IOException {
        socket.setSoTimeout(Math.toIntExact(patience.toMillis()));
    }

    void chunk(int bytes) {
        chunk = bytes;
    }

    /**
     * A server that has closed the connection may refuse bytes. This is not an error, because what
     * it sent before can still be read.
     */
    void send(String latin1) {
        byte[] bytes = latin1.getBytes(StandardCharsets.ISO_8859_1);
        try {
            for (int from = 0, length; from < bytes.length; from += length) {
                length = Math.min(chunk, bytes.length - from);
                out.write(bytes, from, length);
                if (length == chunk) {
                    // Sent apart, so that the server sees the pieces one by one.
                    Thread.sleep(1);
                }
            }
        } catch (SocketException e) {
            return;
        } catch (IOException e) {
            throw new IllegalStateException("cannot send", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    Received receive(Duration patience) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        patience(patience);
        try {
            while (line.size() < LONGEST_LINE) {
                int b = in.read();
                if (b == '\n') {
                    return new Received.Line(line.toString(StandardCharsets.ISO_8859_1));
                }
                if (b < 0) {
                    return new Received.End(line.toString(StandardCharsets.ISO_8859_1));
                }
                line.write(b);
            }
        } catch (SocketTimeoutException e) {
            return new Received.Silence(line.toString(StandardCharsets.ISO_8859_1));
        } catch (SocketException e) {
            return new Received.End(line.toString(StandardCharsets.ISO_8859_1));
        }
        return new Received.Silence("a line without end");
    }

    void hangUp(TranscriptStep.Manner manner) throws IOException {
        switch (manner) {
            case CLOSE -> socket.close();
            case HALF_CLOSE -> socket.shutdownOutput();
            case RESET -> {
                socket.setSoLinger(true, 0);
                socket.close();
            }
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
