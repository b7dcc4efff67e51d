package io.flockgate.bench.consul;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** A connection to Consul for writes one after the other, with little of its own between them. For one thread. */
final class ConsulConnection implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 30_000;

    private final Socket socket;
    private final InputStream in;
    private final String host;

    ConsulConnection(URI consul) throws IOException {
        socket = new Socket(consul.getHost(), consul.getPort());
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        socket.setSoTimeout(PATIENCE_MILLIS);
        in = new BufferedInputStream(socket.getInputStream());
        host = consul.getAuthority();
    }

    /** Writes, and returns the answer. The path and the body are ASCII. */
    @CanIgnoreReturnValue
    String put(String path, String body) throws IOException {
        String request = "PUT " + path + " HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: " + body.length()
                + "\r\n\r\n" + body;
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        String status = line();
        int length = 0;
        for (String header = line(); !header.isEmpty(); header = line()) {
            if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(header.substring(15).strip());
            }
        }
        String answer = new String(in.readNBytes(length), StandardCharsets.UTF_8);
        if (!status.startsWith("HTTP/1.1 200")) {
            throw new IOException(status + ": " + answer);
        }
        return answer;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("Consul has closed the connection");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
