package io.flockgate.bench;

import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
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
    private final Recorder times = new Recorder(3);
    private final List<FutureTask<?>> running = new ArrayList<>();
    private volatile boolean stopping;

    /**
     * @param detached whether their grants outlive their connections
     */
    public PairClients(int port, int count, String key, boolean detached) {
        for (int i = 0; i < count; i++) {
            String own = key + "-" + i;
            running.add(new FutureTask<>(() -> run(port, own, detached)));
        }
        running.forEach(client -> Thread.ofPlatform().daemon().start(client));
    }

    /** The times of all pairs that end within the given time from now, in nanoseconds. */
    public Histogram measure(Duration time) {
        times.reset();
        Waiting.pause(time);
        Histogram measured = times.getIntervalHistogram();
        running.stream().filter(FutureTask::isDone).forEach(Waiting::result);
        return measured;
    }

    private Void run(int port, String key, boolean detached) throws IOException {
        try (LineClient client = LineClient.connect(port)) {
            if (detached && !client.ask("hello", "bench", "detached").equals("ok detached")) {
                throw new BenchException("the gateway refuses detached clients");
            }
            while (!stopping) {
                long began = System.nanoTime();
                HeldGrant grant = client.lock(key, 10, 60);
                client.release(grant);
                times.recordValue(System.nanoTime() - began);
            }
            return null;
        }
    }

    /** Lets each client complete its pair. */
    @Override
    public void close() {
        stopping = true;
        running.forEach(Waiting::result);
    }
}
