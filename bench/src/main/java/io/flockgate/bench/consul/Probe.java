package io.flockgate.bench.consul;

import io.flockgate.bench.BenchException;
import io.flockgate.bench.Latencies;
import io.flockgate.bench.Waiting;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.HdrHistogram.Histogram;

/**
 * Measures the time of one Consul write while other work runs: a transaction of one operation, sent
 * to each server in turn. Counts its own entries in the log.
 */
final class Probe implements AutoCloseable {
    private static final long PAUSE_MILLIS = 20;
    private static final int PATIENCE_MILLIS = 30_000;
    private static final byte[] WRITE = "[{\"KV\":{\"Verb\":\"set\",\"Key\":\"probe\",\"Value\":\"cHJvYmU=\"}}]"
            .getBytes(StandardCharsets.US_ASCII);

    private final List<URL> servers = new ArrayList<>();
    private final Histogram times = Latencies.histogram();
    private final FutureTask<Void> running = new FutureTask<>((Callable<Void>) this::run);
    private volatile boolean stopped;
    private volatile long writes;

    private Probe(List<URI> addresses) throws IOException {
        for (URI address : addresses) {
            servers.add(address.resolve("/v1/txn").toURL());
        }
    }

    /** Starts writing, about 40 times a second. */
    static Probe start(Bed bed) {
        try {
            Probe probe = new Probe(bed.addresses());
            Thread unused = Thread.ofPlatform().name("probe").start(probe.running);
            return probe;
        } catch (IOException e) {
            throw new BenchException("no connection to Consul", e);
        }
    }

    private Void run() throws IOException {
        for (long number = 0; !stopped; number++) {
            long sent = System.nanoTime();
            write(servers.get((int) (number % servers.size())));
            Latencies.record(times, System.nanoTime() - sent);
            writes = number + 1;
            Waiting.pauseMillis(PAUSE_MILLIS);
        }
        return null;
    }

    /** The JDK reuses the connection for the next write, because the answer is read to its end. */
    private static void write(URL server) throws IOException {
        HttpURLConnection request = (HttpURLConnection) server.openConnection();
        request.setRequestMethod("PUT");
        request.setDoOutput(true);
        request.setReadTimeout(PATIENCE_MILLIS);
        request.getOutputStream().write(WRITE);
        try (InputStream answer = request.getInputStream()) {
            byte[] unused = answer.readAllBytes();
        }
    }

    /** Stops the probe after its last write. */
    void stop() {
        stopped = true;
        Waiting.result(running);
    }

    /** Entries in the log so far. */
    long writes() {
        return writes;
    }

    /** The median time of one write in milliseconds, once stopped. */
    double millis() {
        return Latencies.millis(times, 50);
    }

    @Override
    public void close() {
        stopped = true;
    }
}
