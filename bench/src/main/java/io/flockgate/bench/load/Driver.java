package io.flockgate.bench.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The closed loop of all workers: they warm up, meet at a barrier, and are measured from there. One thread polls and never
 * sleeps, so that the server does not pay for waking it. Not thread safe.
 */
final class Driver implements Worker.Owner, AutoCloseable {
    /** The time without an answer, beyond the wait of an acquire, after which the run fails. */
    private static final long PATIENCE_NANOS = 30_000_000_000L;

    /** The number of polls between two readings of the driver's own clock during the warm-up. */
    private static final int CLOCK_EVERY = 256;

    private enum Stage {
        WARM_UP,
        MEASURE,
        DRAIN
    }

    private final Settings settings;
    private final @Nullable ProcessMeter server;
    private final ProcessMeter self = ProcessMeter.self();
    private final @Nullable SharedKeyMeter sharedKey;
    private final Selector selector = Selector.open();
    private final Dialler dialler;
    private final List<Connection> connections = new ArrayList<>();
    private final List<Worker> workers = new ArrayList<>();
    private final List<Worker> due = new ArrayList<>();
    private final Histogram latency = Latencies.histogram();

    private Stage stage = Stage.WARM_UP;
    private int running;
    private long stageEnds;
    private boolean warm;
    private long rounds;
    private long polledAnswers;

    Driver(Settings settings, Dialect dialect, Dialler dialler, @Nullable ProcessMeter server) throws IOException {
        this.settings = settings;
        this.server = server;
        this.dialler = dialler;
        this.sharedKey = settings.shared() ? new SharedKeyMeter(settings.limit()) : null;
        for (int id = 0; id < settings.workers(); id++) {
            workers.add(connect(id, dialect));
        }
    }

    private Worker connect(int id, Dialect dialect) throws IOException {
        List<String> keys = IntStream.range(0, settings.depth())
                .mapToObj(slot -> settings.keyOf(id, slot))
                .toList();
        Connection connection = dialler.open();
        connections.add(connection);
        connection.channel().configureBlocking(false);
        SelectionKey key = connection.channel().register(selector, SelectionKey.OP_READ);
        List<Step> round = dialect.round(keys, connection.session());
        Worker worker = new Worker(id, key, round, settings.depth(), dialect, sharedKey, this);
        key.attach(worker);
        return worker;
    }

    /** Warms up, measures, drains and ends the sessions. @throws LoadException on anything but the expected answers */
    Measurement measure() throws IOException {
        warmUp();
        latency.reset();
        rounds = 0;
        long cpu = cpuNanos();
        long own = self.cpuNanos();
        long start = System.nanoTime();
        begin(Stage.MEASURE, settings.rounds() > 0 ? Long.MAX_VALUE / 2 : settings.measureNanos());
        poll();
        long wall = System.nanoTime() - start;
        long spent = cpuNanos() - cpu;
        long driver = self.cpuNanos() - own;
        Histogram handOffs =
                sharedKey == null ? Latencies.histogram() : sharedKey.handOffs().copy();
        stage = Stage.DRAIN;
        poll();
        long resident = server == null ? 0 : server.residentKb();
        leave();
        return new Measurement(rounds * settings.depth(), wall, latency.copy(), handOffs, spent, driver, resident);
    }

    /** Ends all sessions. The server's timeout ends those of a failed run. */
    private void leave() throws IOException {
        selector.keys().forEach(SelectionKey::cancel);
        // From here on the channels may block again.
        int ignored = selector.selectNow();
        for (Connection connection : connections) {
            connection.channel().configureBlocking(true);
            dialler.close(connection);
        }
    }

    /**
     * Runs unmeasured until every worker has done its rounds and the driver has used its warm-up of CPU time. Wall time
     * would not do: on a busy machine the driver would be half compiled.
     */
    private void warmUp() throws IOException {
        long end = self.cpuNanos() + settings.warmupNanos();
        warm = settings.warmupNanos() == 0;
        begin(Stage.WARM_UP, 0);
        poll(() -> warm = warm || self.cpuNanos() >= end);
    }

    private void poll() throws IOException {
        poll(() -> {});
    }

    private long cpuNanos() {
        return server == null ? 0 : server.cpuNanos();
    }

    private void begin(Stage next, long nanos) throws IOException {
        stage = next;
        if (sharedKey != null) {
            sharedKey.reset();
        }
        long now = System.nanoTime();
        stageEnds = now + nanos;
        running = workers.size();
        for (Worker worker : workers) {
            worker.start(now);
        }
        sendDue();
    }

    /** Polls until all workers are parked, or the measured time is over. */
    private void poll(Runnable sometimes) throws IOException {
        long patience = PATIENCE_NANOS + settings.timeoutSeconds() * 1_000_000_000L;
        long seen = polledAnswers;
        long seenAt = System.nanoTime();
        for (int polls = 1; running > 0; polls++) {
            if (polls % CLOCK_EVERY == 0) {
                sometimes.run();
            }
            select();
            sendDue();
            long now = System.nanoTime();
            if (stage == Stage.MEASURE && settings.rounds() == 0 && now - stageEnds >= 0 && rounds > 0) {
                return;
            }
            if (polledAnswers != seen) {
                seen = polledAnswers;
                seenAt = now;
            } else if (now - seenAt > patience) {
                throw new LoadException("no answer for " + patience / 1_000_000_000L + " s; " + running + " wait");
            }
        }
    }

    private void select() throws IOException {
        try {
            polledAnswers += selector.selectNow(this::onReady);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private void onReady(SelectionKey key) {
        try {
            ((Worker) key.attachment()).onReady(key.readyOps());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** On a shared key, sends nothing before a whole poll is read, so that two grants in it show as two holders. */
    @Override
    public void ready(Worker worker) throws IOException {
        if (sharedKey == null) {
            worker.send();
        } else {
            due.add(worker);
        }
    }

    private void sendDue() throws IOException {
        for (int i = 0; i < due.size(); i++) {
            due.get(i).send();
        }
        due.clear();
    }

    @Override
    public boolean roundDone(Worker worker, long began, long now) {
        if (stage == Stage.MEASURE) {
            rounds++;
            latency.recordValue(Latencies.clamp(now - began));
        }
        boolean goesOn = switch (stage) {
            case WARM_UP -> worker.rounds() < settings.warmupRounds() || !warm;
            case MEASURE -> settings.rounds() == 0 || worker.rounds() < settings.rounds();
            case DRAIN -> false;
        };
        if (!goesOn) {
            running--;
        }
        return goesOn;
    }

    @Override
    public void close() throws IOException {
        for (Connection connection : connections) {
            connection.close();
        }
        selector.close();
    }
}
