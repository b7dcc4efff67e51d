package io.flockgate.bench.load;

import io.flockgate.bench.BenchException;
import io.flockgate.bench.HandOverMeter;
import io.flockgate.bench.ProcessMeter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The closed loop of all workers, which warm up, meet at a barrier, and are measured from then on.
 * One thread polls and never sleeps, so that the server does not pay for waking it. Not thread
 * safe.
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
    private final ProcessMeter server;
    private final ProcessMeter self = ProcessMeter.self();
    private final HandOverMeter handOvers = new HandOverMeter(1);
    private final Selector selector = Selector.open();
    private final Dialler dialler;
    private final List<Connection> connections = new ArrayList<>();
    private final List<Worker> workers = new ArrayList<>();
    private final List<Worker> due = new ArrayList<>();

    private Stage stage = Stage.WARM_UP;
    private int running;
    private long stageEnds;
    private boolean warm;
    private long rounds;
    private long polledAnswers;

    Driver(Settings settings, Dialect dialect, Dialler dialler, ProcessMeter server) throws IOException {
        this.settings = settings;
        this.server = server;
        this.dialler = dialler;
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
        List<Step> round = List.of(
                dialect.acquire(keys, connection.session(), Settings.LEASE_SECONDS),
                dialect.release(keys, connection.session()));
        @Nullable HandOverMeter hot = settings.hot() ? handOvers : null;
        Worker worker = new Worker(id, key, round, settings.depth(), dialect, hot, this);
        key.attach(worker);
        return worker;
    }

    /**
     * Warms up, measures, drains and ends the sessions. @throws BenchException on anything but the
     * expected answers
     */
    Measurement measure() throws IOException {
        warmUp();
        handOvers.begin();
        long cpu = server.cpuNanos();
        long own = self.cpuNanos();
        long start = System.nanoTime();
        begin(Stage.MEASURE, settings.measureNanos());
        poll(() -> {});
        long wall = System.nanoTime() - start;
        long spent = server.cpuNanos() - cpu;
        long driver = self.cpuNanos() - own;
        long pairs = rounds * settings.depth();
        handOvers.end();
        stage = Stage.DRAIN;
        poll(() -> {});
        leave();
        return new Measurement(pairs, wall, handOvers.handOvers(), spent, driver);
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
     * Runs unmeasured until every worker has completed a round and the driver has used its warm-up
     * CPU time. Wall time would not suffice: on a busy machine the driver would be only half
     * compiled.
     */
    private void warmUp() throws IOException {
        long end = self.cpuNanos() + settings.warmupNanos();
        warm = settings.warmupNanos() == 0;
        begin(Stage.WARM_UP, 0);
        poll(() -> warm = warm || self.cpuNanos() >= end);
    }

    private void begin(Stage next, long nanos) throws IOException {
        stage = next;
        stageEnds = System.nanoTime() + nanos;
        running = workers.size();
        for (Worker worker : workers) {
            worker.start();
        }
        sendDue();
    }

    /** Polls until all workers are parked, or the measured time has ended. */
    private void poll(Runnable sometimes) throws IOException {
        long patience = PATIENCE_NANOS + Settings.TIMEOUT_SECONDS * 1_000_000_000L;
        long seen = polledAnswers;
        long seenAt = System.nanoTime();
        for (int polls = 1; running > 0; polls++) {
            if (polls % CLOCK_EVERY == 0) {
                sometimes.run();
            }
            select();
            sendDue();
            long now = System.nanoTime();
            if (stage == Stage.MEASURE && now - stageEnds >= 0 && rounds > 0) {
                return;
            }
            if (polledAnswers != seen) {
                seen = polledAnswers;
                seenAt = now;
            } else if (now - seenAt > patience) {
                throw new BenchException("no answer for " + patience / 1_000_000_000L + " s; " + running + " wait");
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

    /**
     * On a shared key, sends nothing until a whole poll has been read, so that two grants in it
     * show as two holders.
     */
    @Override
    public void ready(Worker worker) throws IOException {
        if (!settings.hot()) {
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
    public boolean roundDone() {
        boolean goesOn = switch (stage) {
            case WARM_UP -> !warm;
            case MEASURE -> {
                rounds++;
                yield true;
            }
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
