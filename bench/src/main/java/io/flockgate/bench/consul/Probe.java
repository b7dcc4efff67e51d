package io.flockgate.bench.consul;

import io.flockgate.bench.load.Latencies;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Measures the time of one write of Consul during other work: a transaction of one operation, through each server in turn.
 * Counts its own entries in the log.
 */
final class Probe implements AutoCloseable {
    private static final long PAUSE_MILLIS = 20;

    private final List<ConsulConnection> agents = new ArrayList<>();
    private final Histogram times = Latencies.histogram();
    private final Thread thread;
    private volatile boolean stopped;
    private volatile long writes;
    private volatile RuntimeException failure = new BenchException("still running");

    private Probe(List<URI> addresses) throws IOException {
        for (URI address : addresses) {
            agents.add(new ConsulConnection(address));
        }
        thread = Thread.ofPlatform().name("probe").unstarted(this::run);
    }

    private static void write(ConsulConnection agent, long number) throws IOException {
        String value = Base64.getEncoder().encodeToString(Long.toString(number).getBytes(StandardCharsets.US_ASCII));
        agent.put("/v1/txn", "[{\"KV\":{\"Verb\":\"set\",\"Key\":\"probe\",\"Value\":\"" + value + "\"}}]");
    }

    /** Begins to write, some 40 times a second. */
    static Probe start(Bed bed) {
        try {
            Probe probe = new Probe(bed.addresses());
            probe.thread.start();
            return probe;
        } catch (IOException e) {
            throw new BenchException("no connection to Consul", e);
        }
    }

    private void run() {
        try {
            for (long number = 0; !stopped; number++) {
                long sent = System.nanoTime();
                write(agents.get((int) (number % agents.size())), number);
                times.recordValue(Latencies.clamp(System.nanoTime() - sent));
                writes = number + 1;
                Pause.millis(PAUSE_MILLIS);
            }
            failure = new BenchException("none");
        } catch (IOException e) {
            failure = new BenchException("the probe failed", e);
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    /** Stops the probe after its last write. */
    void stop() {
        stopped = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw BenchException.interrupted(e);
        }
        if (!"none".equals(failure.getMessage())) {
            throw failure;
        }
    }

    /** Entries in the log so far. */
    long writes() {
        return writes;
    }

    /** The median time of one write in milliseconds, once stopped. */
    double millis() {
        return Latencies.millis(times, 50);
    }

    /** The mean time of one write in milliseconds, once stopped. */
    double meanMillis() {
        return times.getMean() / 1e6;
    }

    @Override
    public void close() {
        stopped = true;
        for (ConsulConnection agent : agents) {
            try {
                agent.close();
            } catch (IOException e) {
                throw new BenchException("a connection could not be closed", e);
            }
        }
    }
}
