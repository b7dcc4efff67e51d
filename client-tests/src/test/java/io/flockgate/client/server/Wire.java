package io.flockgate.client.server;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** A network between client and gateway, for a test to cut, to hush, or to change what goes through. */
final class Wire implements AutoCloseable {
    private final ServerSocket listening;
    private final int port;
    private final UnaryOperator<byte[]> toServer;
    private final Set<Pair> pairs = ConcurrentHashMap.newKeySet();
    private final AtomicInteger accepted = new AtomicInteger();
    private volatile boolean closed;

    private static final class Pair {
        private final Socket client;
        private final Socket server;
        private volatile boolean silent;

        Pair(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }
    }

    /** Leads to this port. {@code toServer} sees each piece of what a client sends. */
    Wire(int port, UnaryOperator<byte[]> toServer) throws IOException {
        this.port = port;
        this.toServer = toServer;
        this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    static Wire to(int port) throws IOException {
        return new Wire(port, bytes -> bytes);
    }

    /** A wire that makes a gateway look like one that does not know {@code hello}. */
    static Wire toOlder(int port) throws IOException {
        return new Wire(port, Wire::withoutHello);
    }

    private static byte[] withoutHello(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        String unknown =
                text.startsWith("hello\n") ? "hallo" + text.substring(5) : text.replace("\nhello\n", "\nhallo\n");
        return unknown.getBytes(StandardCharsets.ISO_8859_1);
    }

    URI uri() {
        return URI.create("flockgate://127.0.0.1:" + listening.getLocalPort());
    }

    /** The number of connections so far. */
    int accepted() {
        return accepted.get();
    }

    /** The number of connections that are open now. */
    int open() {
        return pairs.size();
    }

    /** Ends every connection, on both sides. New ones are possible. */
    void cut() {
        pairs.forEach(Wire::end);
    }

    /** From now on nothing passes on the connections that there are, and neither side hears of it. New ones work. */
    void hush() {
        pairs.forEach(pair -> pair.silent = true);
    }

    private void accept() {
        while (!closed) {
            try {
                Socket client = listening.accept();
                accepted.incrementAndGet();
                Pair pair = new Pair(client, connected());
                pairs.add(pair);
                Thread.ofVirtual().start(() -> copy(pair, pair.client, pair.server, toServer));
                Thread.ofVirtual().start(() -> {
                    copy(pair, pair.server, pair.client, bytes -> bytes);
                    endUnlessSilent(pair);
                });
            } catch (IOException over) {
                // The gateway is not there, or the test is over.
            }
        }
    }

    private Socket connected() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), port);
    }

    private void copy(Pair pair, Socket from, Socket to, UnaryOperator<byte[]> change) {
        byte[] buffer = new byte[64 * 1024];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                if (!pair.silent) {
                    out.write(change.apply(Arrays.copyOf(buffer, n)));
                }
            }
            if (!pair.silent) {
                to.shutdownOutput();
            }
        } catch (IOException broken) {
            end(pair);
        }
    }

    /** The server has ended the connection, or somebody the pair. */
    private void endUnlessSilent(Pair pair) {
        if (!pair.silent) {
            end(pair);
            pairs.remove(pair);
        }
    }

    private static void end(Pair pair) {
        close(pair.client);
        close(pair.server);
    }

    private static void close(Closeable socket) {
        try {
            socket.close();
        } catch (IOException broken) {
            // It is over anyway.
        }
    }

    @Override
    public void close() {
        closed = true;
        close(listening);
        cut();
    }
}
