package io.flockgate.bench.consul;

import io.flockgate.bench.BenchException;
import io.flockgate.bench.Latencies;
import io.flockgate.bench.ProcessMeter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Clients of one gateway, each of which repeatedly acquires and releases its own lock. One thread
 * serves them all, and sleeps while there is nothing to read, because the measured processes share
 * its cores. Not thread safe.
 */
final class ManyClients implements AutoCloseable {
    private static final int LEASE = 30;
    private static final long PATIENCE_MILLIS = TimeUnit.SECONDS.toMillis(30);
    private static final int MAX_ANSWER_BYTES = 256;

    private final Selector selector;
    private final List<PairClient> clients = new ArrayList<>();
    private Histogram times = Latencies.histogram();
    private long end;
    private int running;

    private ManyClients(InetSocketAddress gateway, int count, String key) {
        try {
            selector = Selector.open();
            for (int i = 0; i < count; i++) {
                clients.add(new PairClient(gateway, key + "-" + i));
            }
        } catch (IOException e) {
            throw new BenchException("no connection to " + gateway, e);
        }
    }

    /**
     * The result; CPU times are those of the measured period, in nanoseconds.
     *
     * @param entries in Consul's log
     */
    record ManyClientsResult(
            long entries, long wallNanos, Histogram times, long gatewayCpu, long consulCpu, long driverCpu) {
        double writesPerPair() {
            return (double) entries / times.getTotalCount();
        }

        double pairsPerSecond() {
            return times.getTotalCount() * 1e9 / wallNanos;
        }

        /** Microseconds per pair. */
        double micros(long cpu) {
            return cpu / 1e3 / times.getTotalCount();
        }
    }

    /** Runs pairs for the given time, after a warm-up that is not counted. */
    static ManyClientsResult run(BenchGateway gateway, Bed bed, int count, String key, Duration time, RaftMeter meter) {
        ProcessMeter own = ProcessMeter.self();
        try (ManyClients clients = new ManyClients(gateway.address(), count, key)) {
            Histogram unused = clients.pairs(time.dividedBy(2));
            long gatewayCpu = gateway.cpuNanos();
            long consulCpu = bed.cpuNanos();
            long driverCpu = own.cpuNanos();
            RaftMeter.Count entries = meter.start();
            long start = System.nanoTime();
            Histogram times = clients.pairs(time);
            long wall = System.nanoTime() - start;
            return new ManyClientsResult(
                    entries.entries(0),
                    wall,
                    times,
                    gateway.cpuNanos() - gatewayCpu,
                    bed.cpuNanos() - consulCpu,
                    own.cpuNanos() - driverCpu);
        }
    }

    /**
     * Runs pairs for the given time, and completes those in progress at its end. Returns the time
     * of each.
     */
    private Histogram pairs(Duration time) {
        times = Latencies.histogram();
        end = System.nanoTime() + time.toNanos();
        running = clients.size();
        try {
            for (PairClient client : clients) {
                client.acquire();
            }
            while (running > 0) {
                if (selector.select(key -> ((PairClient) key.attachment()).ready(), PATIENCE_MILLIS) == 0) {
                    throw new BenchException("no answer for " + PATIENCE_MILLIS + " ms");
                }
            }
        } catch (IOException | UncheckedIOException e) {
            throw new BenchException("a client failed: " + e.getMessage(), e);
        }
        return times;
    }

    @Override
    public void close() {
        try {
            for (SelectionKey key : selector.keys()) {
                key.channel().close();
            }
            selector.close();
        } catch (IOException e) {
            throw new BenchException("connections could not be closed", e);
        }
    }

    /** One connection with one request at a time. */
    private final class PairClient {
        private final SocketChannel channel;
        private final String key;
        private final ByteBuffer acquire;
        private final ByteBuffer answer = ByteBuffer.allocate(MAX_ANSWER_BYTES);
        private boolean holding;
        private long began;

        PairClient(InetSocketAddress gateway, String key) throws IOException {
            this.key = key;
            this.acquire = bytes("l\n" + key + "\n600 " + LEASE + "\n");
            channel = SocketChannel.open(gateway);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.configureBlocking(false);
            var unused = channel.register(selector, SelectionKey.OP_READ, this);
        }

        void acquire() throws IOException {
            began = System.nanoTime();
            write(acquire.rewind());
        }

        void ready() {
            try {
                if (channel.read(answer) < 0) {
                    throw new BenchException("the gateway has closed the connection of " + key);
                }
                if (answer.position() > 0 && answer.get(answer.position() - 1) == '\n') {
                    answered(StandardCharsets.ISO_8859_1.decode(answer.flip()).toString());
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void answered(String line) throws IOException {
            answer.clear();
            if (holding) {
                expect(line.equals("ok\n"), line);
                released();
            } else {
                String[] words = line.split(" ", -1);
                expect(words.length == 3 && words[0].equals("ok"), line);
                write(bytes("r\n" + key + "\n" + words[1] + "\n"));
            }
            holding = !holding;
        }

        private void released() throws IOException {
            long now = System.nanoTime();
            Latencies.record(times, now - began);
            if (now < end) {
                acquire();
            } else {
                running--;
            }
        }

        private void expect(boolean as, String line) {
            if (!as) {
                throw new BenchException(key + " was answered '" + line.strip() + "'");
            }
        }

        /** A frame is far smaller than what a socket accepts at once. */
        private void write(ByteBuffer frame) throws IOException {
            while (frame.hasRemaining()) {
                int unused = channel.write(frame);
            }
        }
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
    }
}
