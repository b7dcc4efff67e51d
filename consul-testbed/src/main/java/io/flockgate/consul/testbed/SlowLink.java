package io.flockgate.consul.testbed;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A TCP link to an agent that delays all bytes in both directions, and that can be cut or refuse connections. Thread safe. */
public final class SlowLink implements AutoCloseable {
    private static final String HOST = "127.0.0.1";
    private static final int CHUNK = 16 * 1024;
    private static final int BACKLOG = 500;
    private static final int ATTEMPTS = 3;

    private final URI agent;
    private final int port;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile long oneWayNanos;
    private volatile boolean cut;
    private ServerSocket server;
    private Thread acceptor;

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Chunk(byte[] bytes, long due) {}

    /** A link without delay. */
    public SlowLink(URI agent) {
        this.agent = agent;
        this.server = firstListener();
        this.port = server.getLocalPort();
        this.acceptor = acceptor(server);
    }

    /** Listens on a port that no outgoing connection gets while the link refuses connections. */
    private static ServerSocket firstListener() {
        UncheckedIOException failure = null;
        for (int i = 0; i < ATTEMPTS; i++) {
            try {
                return listener(Ports.adjacent(1, List.of(HOST)));
            } catch (UncheckedIOException e) {
                failure = e;
            }
        }
        throw new IllegalStateException("no port for a link", failure);
    }

    private static ServerSocket listener(int port) {
        try {
            return new ServerSocket(port, BACKLOG, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The address by which the agent is reached over this link. */
    public URI address() {
        return URI.create("http://" + HOST + ":" + port);
    }

    /** Delays a request and its answer by this time together. */
    public void delay(Duration roundTrip) {
        oneWayNanos = roundTrip.toNanos() / 2;
    }

    /** Closes all connections, and new ones at once. */
    public void cut() {
        cut = true;
        open.forEach(SlowLink::close);
    }

    /** Closes all connections, and refuses new ones as a host does on which nobody listens. */
    public synchronized void refuse() {
        stopListening();
        cut();
    }

    /** Takes connections again. */
    public synchronized void mend() {
        cut = false;
        if (server.isClosed()) {
            server = listener(port);
            acceptor = acceptor(server);
        }
    }

    private void stopListening() {
        try {
            server.close();
            // The port is free when nobody accepts any more.
            acceptor.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Thread acceptor(ServerSocket listener) {
        return Thread.ofVirtual().name("slow-link").start(() -> {
            try {
                while (true) {
                    Socket client = listener.accept();
                    Thread.ofVirtual().start(() -> connect(client));
                }
            } catch (IOException e) {
                // Closed.
            }
        });
    }

    private void connect(Socket client) {
        Socket consul = new Socket();
        open.add(client);
        open.add(consul);
        try {
            if (cut) {
                throw new SocketException("the link is cut");
            }
            consul.connect(new InetSocketAddress(agent.getHost(), agent.getPort()));
            client.setTcpNoDelay(true);
            consul.setTcpNoDelay(true);
            carry(client, consul);
            carry(consul, client);
        } catch (IOException e) {
            // A cut can close either socket at any time: the other one must not stay open.
            end(client, consul);
        }
    }

    /** Carries bytes in one direction: one thread reads them, another writes them when they are due. */
    private void carry(Socket from, Socket to) {
        BlockingQueue<Chunk> chunks = new LinkedBlockingQueue<>();
        Thread.ofVirtual().start(() -> read(from, chunks));
        Thread.ofVirtual().start(() -> write(chunks, from, to));
    }

    private void read(Socket from, BlockingQueue<Chunk> chunks) {
        byte[] buffer = new byte[CHUNK];
        int length = 0;
        while (length >= 0) {
            try {
                InputStream in = from.getInputStream();
                length = in.read(buffer);
            } catch (IOException e) {
                length = -1;
            }
            chunks.add(new Chunk(Arrays.copyOf(buffer, Math.max(0, length)), System.nanoTime() + oneWayNanos));
        }
    }

    private void write(BlockingQueue<Chunk> chunks, Socket from, Socket to) {
        try {
            for (Chunk next = chunks.take(); next.bytes().length > 0; next = chunks.take()) {
                TimeUnit.NANOSECONDS.sleep(next.due() - System.nanoTime());
                to.getOutputStream().write(next.bytes());
            }
        } catch (IOException e) {
            // One side has gone.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            end(from, to);
        }
    }

    private void end(Socket one, Socket other) {
        close(one);
        close(other);
        open.remove(one);
        open.remove(other);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is gone all the same.
        }
    }

    @Override
    public synchronized void close() {
        stopListening();
        cut();
    }
}
