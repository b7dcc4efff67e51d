package io.flockgate.storage.consul.api;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** An HTTP server that answers what it was told to, also nothing, half of it, or with a reset; and keeps what it was asked. */
final class CannedServer implements Closeable {
    /** A request as it came. */
    record Received(String line, List<String> headers, String body) {
        List<String> headers(String name) {
            String start = name.toLowerCase(Locale.ROOT) + ":";
            return headers.stream()
                    .filter(header -> header.toLowerCase(Locale.ROOT).startsWith(start))
                    .map(header -> header.substring(start.length()).strip())
                    .toList();
        }
    }

    /** What is done with one request. */
    interface Reply {
        void on(Socket socket) throws IOException;
    }

    private final ServerSocket server;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final Queue<Reply> replies = new ConcurrentLinkedQueue<>();
    private final BlockingQueue<Received> received = new LinkedBlockingQueue<>();

    CannedServer() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    String address() {
        return "127.0.0.1:" + server.getLocalPort();
    }

    CannedServer reply(Reply reply) {
        replies.add(reply);
        return this;
    }

    /** Requests in the order of their coming; waits for the next. */
    Received next() throws InterruptedException {
        return received.take();
    }

    int count() {
        return received.size();
    }

    static Reply status(int status, String body, String... headers) {
        byte[] bytes = body.getBytes(UTF_8);
        String head = "HTTP/1.1 " + status + " Whatever\r\n"
                + String.join(
                        "",
                        List.of(headers).stream().map(header -> header + "\r\n").toList());
        return raw(head + "Content-Length: " + bytes.length + "\r\n\r\n" + body, false);
    }

    /** These bytes, and the end of the connection if asked for. */
    static Reply raw(String text, boolean close) {
        return socket -> {
            socket.getOutputStream().write(text.getBytes(UTF_8));
            socket.getOutputStream().flush();
            if (close) {
                socket.close();
            }
        };
    }

    static Reply reset() {
        return socket -> {
            socket.setSoLinger(true, 0);
            socket.close();
        };
    }

    static Reply hang() {
        return socket -> {};
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                sockets.add(socket);
                Thread.ofVirtual().start(() -> serve(socket));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private void serve(Socket socket) {
        try {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            while (!socket.isClosed()) {
                String line = line(in);
                if (line == null) {
                    return;
                }
                received.add(read(line, in));
                Reply reply = replies.poll();
                (reply == null ? status(500, "nothing prepared") : reply).on(socket);
            }
        } catch (IOException e) {
            // The client, or the test, has had enough.
        }
    }

    private static Received read(String line, InputStream in) throws IOException {
        var headers = new java.util.ArrayList<String>();
        for (String header = line(in); header != null && !header.isEmpty(); header = line(in)) {
            headers.add(header);
        }
        var head = new Received(line, headers, "");
        List<String> length = head.headers("Content-Length");
        int bytes = length.isEmpty() ? 0 : Integer.parseInt(length.getFirst());
        return new Received(line, headers, new String(in.readNBytes(bytes), UTF_8));
    }

    private static @org.jspecify.annotations.Nullable String line(InputStream in) throws IOException {
        var line = new java.io.ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                return null;
            } else if (b != '\r') {
                line.write(b);
            }
        }
        return line.toString(ISO_8859_1);
    }

    @Override
    public void close() {
        try {
            server.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
