package io.flockgate.testsupport;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

/**
 * A TCP link to a server that can delay, change or swallow data, and end or refuse connections.
 * Thread safe.
 */
public final class FaultyLink implements AutoCloseable {
    private static final int CHUNK = 16 * 1024;
    private static final int ATTEMPTS = 3;

    private final String address;
    private final InetSocketAddress server;
    private final Set<Pair> pairs = ConcurrentHashMap.newKeySet();
    private final AtomicInteger accepted = new AtomicInteger();
    private volatile UnaryOperator<byte[]> toServer = UnaryOperator.identity();
    private volatile long oneWayNanos;
    private volatile Duration longestIdle = Duration.ZERO;
    private volatile boolean severed;
    private volatile boolean blackHole;
    private volatile Acceptor acceptor;

    /** The data to be carried next in one direction, and its time. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Chunk(byte[] bytes, long due, boolean last) {}

    /** The two sockets of one connection, of which both are open or neither. */
    private static final class Pair {
        private final Socket client;
        private final Socket server = new Socket();
        private volatile boolean silent;
        private volatile long usedNanos = System.nanoTime();

        Pair(Socket client) {
            this.client = client;
        }
    }

    private FaultyLink(String address, InetSocketAddress server) {
        this.address = address;
        this.server = server;
        this.acceptor = firstAcceptor();
    }

    private FaultyLink(String address, InetSocketAddress server, int port) {
        this.address = address;
        this.server = server;
        this.acceptor = new Acceptor(address, port, this::connect);
    }

    /** A link without faults to a port of this machine. */
    public static FaultyLink to(int port) {
        return at(Acceptor.LOOPBACK, port);
    }

    /** A link without faults to the host and port of an address. */
    public static FaultyLink to(URI server) {
        return new FaultyLink(Acceptor.LOOPBACK, new InetSocketAddress(server.getHost(), server.getPort()));
    }

    /** A link to a port of this machine that listens at another of its addresses. */
    public static FaultyLink at(String address, int port) {
        return new FaultyLink(address, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    /**
     * A link to the same server that listens on the same port of another address of this machine.
     */
    public FaultyLink beside(String otherAddress) {
        return new FaultyLink(otherAddress, server, port());
    }

    /**
     * Listens on a port that no outgoing connection is assigned while the link refuses connections.
     */
    private Acceptor firstAcceptor() {
        UncheckedIOException failure = null;
        for (int i = 0; i < ATTEMPTS; i++) {
            try {
                return new Acceptor(address, Ports.adjacent(1, List.of(address)), this::connect);
            } catch (UncheckedIOException e) {
                failure = e;
            }
        }
        throw new IllegalStateException("no port for a link", failure);
    }

    public int port() {
        return acceptor.port();
    }

    /** The address at which the server is reached through this link. */
    public URI uri(String scheme) {
        return acceptor.uri(scheme);
    }

    /** The number of connections so far. */
    public int accepted() {
        return accepted.get();
    }

    /** The number of connections that are open now. */
    public int open() {
        return pairs.size();
    }

    /** Changes each chunk of data that clients send from now on. */
    @CanIgnoreReturnValue
    public FaultyLink change(UnaryOperator<byte[]> pieces) {
        toServer = pieces;
        return this;
    }

    /** Delays a request and its answer by this time in total. */
    public void delay(Duration roundTrip) {
        oneWayNanos = roundTrip.toNanos() / 2;
    }

    /**
     * Ends each new connection once it has carried nothing in either direction for this long, as a
     * load balancer does.
     */
    @CanIgnoreReturnValue
    public FaultyLink cutIdle(Duration longest) {
        longestIdle = longest;
        return this;
    }

    /** Ends all connections on both sides; new ones work. */
    public void cut() {
        pairs.forEach(this::end);
    }

    /** Ends all connections, and ends new ones at once until {@link #mend}. */
    public void sever() {
        severed = true;
        cut();
    }

    /**
     * Ends all connections, and refuses new ones until {@link #mend}, as a host without a listener
     * does.
     */
    public synchronized void refuse() {
        acceptor.close();
        sever();
    }

    /**
     * Swallows everything on the present connections without either side noticing; new ones work.
     */
    public void hush() {
        pairs.forEach(pair -> pair.silent = true);
    }

    /** Swallows everything on the present connections and on all new ones until {@link #mend}. */
    public void blackHole() {
        blackHole = true;
        hush();
    }

    /** Carries new connections again. */
    public synchronized void mend() {
        severed = false;
        blackHole = false;
        if (acceptor.isClosed()) {
            acceptor = new Acceptor(address, acceptor.port(), this::connect);
        }
    }

    private void connect(Socket client) {
        Pair pair = new Pair(client);
        accepted.incrementAndGet();
        // Added before the faults are checked, so that a fault that begins meanwhile finds the
        // pair.
        pairs.add(pair);
        try {
            if (severed) {
                throw new SocketException("the link is cut");
            }
            if (blackHole) {
                pair.silent = true;
            }
            pair.server.connect(server);
            client.setTcpNoDelay(true);
            pair.server.setTcpNoDelay(true);
            carry(pair, true);
            carry(pair, false);
            watchIdle(pair);
        } catch (IOException e) {
            // A cut can close either socket at any time, and the other one must not stay open.
            end(pair);
        }
    }

    /**
     * Carries bytes in one direction: one thread reads them, another writes them when they are due.
     */
    private void carry(Pair pair, boolean up) {
        BlockingQueue<Chunk> chunks = new LinkedBlockingQueue<>();
        Thread unusedReader = Thread.ofVirtual().start(() -> read(pair, up, chunks));
        Thread unusedWriter = Thread.ofVirtual().start(() -> write(pair, up, chunks));
    }

    private void watchIdle(Pair pair) {
        long longest = longestIdle.toNanos();
        if (longest == 0) {
            return;
        }
        Thread unused = Thread.ofVirtual().start(() -> {
            long left = longest;
            while (left > 0) {
                LockSupport.parkNanos(left);
                left = pair.usedNanos + longest - System.nanoTime();
            }
            end(pair);
        });
    }

    private void read(Pair pair, boolean up, BlockingQueue<Chunk> chunks) {
        byte[] buffer = new byte[CHUNK];
        try {
            InputStream in = (up ? pair.client : pair.server).getInputStream();
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                pair.usedNanos = System.nanoTime();
                byte[] bytes = Arrays.copyOf(buffer, length);
                chunks.add(new Chunk(up ? toServer.apply(bytes) : bytes, System.nanoTime() + oneWayNanos, false));
            }
        } catch (IOException e) {
            endUnlessSilent(pair);
        } finally {
            chunks.add(new Chunk(new byte[0], System.nanoTime() + oneWayNanos, true));
        }
    }

    private void write(Pair pair, boolean up, BlockingQueue<Chunk> chunks) {
        Socket to = up ? pair.server : pair.client;
        try {
            Chunk next = chunks.take();
            while (!next.last()) {
                TimeUnit.NANOSECONDS.sleep(next.due() - System.nanoTime());
                if (!pair.silent) {
                    to.getOutputStream().write(next.bytes());
                }
                next = chunks.take();
            }
            if (!up) {
                endUnlessSilent(pair);
            } else if (!pair.silent) {
                to.shutdownOutput();
            }
        } catch (IOException e) {
            endUnlessSilent(pair);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void endUnlessSilent(Pair pair) {
        if (!pair.silent) {
            end(pair);
        }
    }

    private void end(Pair pair) {
        Acceptor.close(pair.client);
        Acceptor.close(pair.server);
        pairs.remove(pair);
    }

    @Override
    public void close() {
        refuse();
    }
}
