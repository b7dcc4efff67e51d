package io.flockgate.consul.testbed;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A TCP link to an agent that delays all bytes in both directions, and that can be cut. Thread safe. */
public final class SlowLink implements AutoCloseable {
    private static final int CHUNK = 16 * 1024;

    private final ServerSocket server;
    private final URI agent;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile long oneWayNanos;
    private volatile boolean cut;

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Chunk(byte[] bytes, long due) {}

    /** A link without delay. */
    public SlowLink(URI agent) {
        this.agent = agent;
        try {
            server = new ServerSocket(0, 500, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().name("slow-link").start(this::accept);
    }

    /** The address by which the agent is reached over this link. */
    public URI address() {
        return URI.create("http://127.0.0.1:" + server.getLocalPort());
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

    /** Takes connections again. */
    public void mend() {
        cut = false;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = server.accept();
                Thread.ofVirtual().start(() -> connect(client));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private void connect(Socket client) {
        open.add(client);
        if (cut) {
            close(client);
            return;
        }
        try {
            Socket consul = new Socket(agent.getHost(), agent.getPort());
            open.add(consul);
            client.setTcpNoDelay(true);
            consul.setTcpNoDelay(true);
            carry(client, consul);
            carry(consul, client);
        } catch (IOException e) {
            close(client);
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
            close(from);
            close(to);
            open.remove(from);
            open.remove(to);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is gone all the same.
        }
    }

    @Override
    public void close() {
        cut();
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
