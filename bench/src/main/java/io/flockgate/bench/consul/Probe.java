package io.flockgate.bench.consul;

import io.flockgate.bench.load.Latencies;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * Measures the time of one write of Consul during other work: a transaction of one operation, through each server in turn.
 * Counts its own entries in the log.
 */
final class Probe implements AutoCloseable {
    private static final long PAUSE_MILLIS = 20;

    private final List<Agent> agents = new ArrayList<>();
    private final Histogram times = Latencies.histogram();
    private final Thread thread;
    private volatile boolean stopped;
    private volatile long writes;
    private volatile RuntimeException failure = new BenchException("still running");

    private Probe(List<URI> addresses) throws IOException {
        for (URI address : addresses) {
            agents.add(new Agent(address));
        }
        thread = Thread.ofPlatform().name("probe").unstarted(this::run);
    }

    /** A connection to one server. */
    private static final class Agent implements AutoCloseable {
        private final Socket socket;
        private final InputStream in;
        private final String head;

        Agent(URI address) throws IOException {
            socket = new Socket(address.getHost(), address.getPort());
            socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
            socket.setSoTimeout(30_000);
            in = new BufferedInputStream(socket.getInputStream());
            head = "PUT /v1/txn HTTP/1.1\r\nHost: " + address.getAuthority()
                    + "\r\nContent-Type: application/json\r\nContent-Length: ";
        }

        void write(long number) throws IOException {
            String value =
                    Base64.getEncoder().encodeToString(Long.toString(number).getBytes(StandardCharsets.US_ASCII));
            String body = "[{\"KV\":{\"Verb\":\"set\",\"Key\":\"probe\",\"Value\":\"" + value + "\"}}]";
            socket.getOutputStream()
                    .write((head + body.length() + "\r\n\r\n" + body).getBytes(StandardCharsets.US_ASCII));
            String status = line();
            int length = 0;
            for (String header = line(); !header.isEmpty(); header = line()) {
                if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                    length = Integer.parseInt(header.substring(15).strip());
                }
            }
            byte[] answer = in.readNBytes(length);
            if (!status.startsWith("HTTP/1.1 200")) {
                throw new IOException(status + ": " + new String(answer, StandardCharsets.UTF_8));
            }
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
                agents.get((int) (number % agents.size())).write(number);
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
        for (Agent agent : agents) {
            try {
                agent.close();
            } catch (IOException e) {
                throw new BenchException("a connection could not be closed", e);
            }
        }
    }
}
