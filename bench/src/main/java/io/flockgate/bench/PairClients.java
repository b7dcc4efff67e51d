package io.flockgate.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * Clients of the line protocol, each of which repeatedly acquires and releases its own lock on its
 * own thread until they are closed. They sleep while they wait, because the measured processes may
 * share their cores.
 */
public final class PairClients implements AutoCloseable {
    private static final String LEASE = "10 60";

    private final InetSocketAddress gateway;
    private final String greeting;
    private final Recorder times = new Recorder(3);
    private final List<FutureTask<?>> running = new ArrayList<>();
    private volatile boolean stopping;

    private PairClients(InetSocketAddress gateway, int count, String key, String greeting) {
        this.gateway = gateway;
        this.greeting = greeting;
        for (int i = 0; i < count; i++) {
            String own = key + "-" + i;
            running.add(new FutureTask<>(() -> run(own), null));
        }
        running.forEach(client -> Thread.ofPlatform().daemon().start(client));
    }

    /** Clients whose grants end with their connections. */
    public static PairClients of(InetSocketAddress gateway, int count, String key) {
        return new PairClients(gateway, count, key, "");
    }

    /** Clients whose grants outlive their connections. */
    public static PairClients detached(InetSocketAddress gateway, int count, String key) {
        return new PairClients(gateway, count, key, "hello\nbench\ndetached\n");
    }

    /** The times of all pairs that end within the given time from now, in nanoseconds. */
    public Histogram measure(Duration time) {
        times.reset();
        Waiting.pause(time);
        Histogram measured = times.getIntervalHistogram();
        running.stream().filter(FutureTask::isDone).forEach(Waiting::result);
        return measured;
    }

    private void run(String key) {
        try (Socket socket = new Socket()) {
            socket.connect(gateway);
            socket.setTcpNoDelay(true);
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            OutputStream out = socket.getOutputStream();
            if (!greeting.isEmpty()) {
                expect("ok detached", ask(in, out, greeting));
            }
            while (!stopping) {
                long began = System.nanoTime();
                String granted = ask(in, out, "l\n" + key + "\n" + LEASE + "\n");
                if (!granted.startsWith("ok ")) {
                    throw new BenchException("not granted: " + granted);
                }
                expect("ok", ask(in, out, "r\n" + key + "\n" + granted.substring(3, 35) + "\n"));
                times.recordValue(System.nanoTime() - began);
            }
        } catch (IOException e) {
            throw new BenchException("lost the connection", e);
        }
    }

    private static String ask(BufferedReader in, OutputStream out, String frame) throws IOException {
        out.write(frame.getBytes(StandardCharsets.US_ASCII));
        return String.valueOf(in.readLine());
    }

    private static void expect(String wanted, String reply) {
        if (!reply.equals(wanted)) {
            throw new BenchException("unexpected answer: " + reply);
        }
    }

    /** Lets each client complete its pair. */
    @Override
    public void close() {
        stopping = true;
        running.forEach(Waiting::result);
    }
}
