package io.flockgate.bench.load;

import io.flockgate.bench.BenchException;
import io.flockgate.bench.HandOverMeter;
import io.flockgate.bench.ProcessMeter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The closed loop of all workers, which warm up, meet at a barrier, and are measured from then on.
 * One thread polls and never sleeps, so that the server does not pay for waking it. Not thread
 * safe.
 */
final class Driver implements AutoCloseable {
    /** The time without an answer, beyond the wait of an acquire, after which the run fails. */
    private static final long PATIENCE_NANOS = 30_000_000_000L + Settings.TIMEOUT_SECONDS * 1_000_000_000L;

    /** The number of polls between two readings of the driver's own clock during the warm-up. */
    private static final int CLOCK_EVERY = 256;

    private static final int MAX_ANSWER_BYTES = 512;

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
    private final List<Worker> workers = new ArrayList<>();
    private final List<Worker> due = new ArrayList<>();

    private Stage stage = Stage.WARM_UP;
    private int running;
    private long stageEnds;
    private boolean warm;
    private long rounds;
    private long polledAnswers;

    Driver(Settings settings, ProcessMeter server) throws IOException {
        this.settings = settings;
        this.server = server;
        for (int id = 0; id < settings.workers(); id++) {
            workers.add(new Worker(id, new Connection(settings.address(), settings.protocol())));
        }
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

    private void leave() throws IOException {
        selector.keys().forEach(SelectionKey::cancel);
        // From here on the channels may block again.
        int ignored = selector.selectNow();
        for (Worker worker : workers) {
            worker.connection.channel().configureBlocking(true);
            worker.connection.leave();
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
            worker.parked = false;
            ready(worker);
        }
        sendDue();
    }

    /** Polls until all workers are parked, or the measured time has ended. */
    private void poll(Runnable sometimes) throws IOException {
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
            } else if (now - seenAt > PATIENCE_NANOS) {
                throw new BenchException("no answer in time; " + running + " wait");
            }
        }
    }

    private void select() throws IOException {
        try {
            polledAnswers += selector.selectNow(Driver::onReady);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static void onReady(SelectionKey key) {
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
    private void ready(Worker worker) throws IOException {
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

    /** A round has ended. Returns true to begin the next at once, false to park the worker. */
    private boolean roundDone() {
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
        for (Worker worker : workers) {
            worker.connection.close();
        }
        selector.close();
    }

    /** One connection and its progress in its round. */
    private final class Worker {
        private final int id;
        private final Connection connection;
        private final SelectionKey key;
        private final List<Step> round;
        private final ByteBuffer in;

        private int at;
        private int answered;
        private long acquireSent;
        private boolean parked = true;

        Worker(int id, Connection connection) throws IOException {
            this.id = id;
            this.connection = connection;
            this.key = connection.channel().configureBlocking(false).register(selector, SelectionKey.OP_READ, this);
            this.in = ByteBuffer.allocateDirect(
                    MAX_ANSWER_BYTES + settings.depth() * settings.protocol().room());
            List<String> keys = IntStream.range(0, settings.depth())
                    .mapToObj(slot -> settings.keyOf(id, slot))
                    .toList();
            this.round = List.of(connection.acquire(keys, Settings.LEASE_SECONDS), connection.release(keys));
        }

        /** Sends the current step. */
        void send() throws IOException {
            Step step = round.get(at);
            if (settings.hot()) {
                long now = System.nanoTime();
                if (step.acquires()) {
                    acquireSent = now;
                } else {
                    handOvers.releasing(now);
                }
            }
            answered = 0;
            step.frame().rewind();
            write();
        }

        private void write() throws IOException {
            ByteBuffer frame = round.get(at).frame();
            int unused = connection.channel().write(frame);
            int interest = frame.hasRemaining() ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ;
            if (key.interestOps() != interest) {
                key.interestOps(interest);
            }
        }

        void onReady(int operations) throws IOException {
            if ((operations & SelectionKey.OP_WRITE) != 0) {
                write();
            }
            if ((operations & SelectionKey.OP_READ) != 0) {
                read();
            }
        }

        private void read() throws IOException {
            if (connection.channel().read(in) < 0) {
                throw failure("connection closed by the server");
            }
            int used = 0;
            int end = settings.protocol().end(in, 0, in.position());
            while (end != Protocol.NONE) {
                answer(used, end);
                used = end;
                end = settings.protocol().end(in, used, in.position());
            }
            in.flip().position(used);
            in.compact();
            if (!in.hasRemaining()) {
                throw failure("answer too long '" + Protocol.quote(in, 0, in.limit()) + "'");
            }
        }

        private void answer(int from, int end) throws IOException {
            if (parked) {
                throw failure("an answer to no request: '" + Protocol.quote(in, from, end) + "'");
            }
            Step step = round.get(at);
            int token = check(step, from, end);
            if (step.acquires()) {
                round.get(at + 1).setToken(answered, in, token);
                if (settings.hot()) {
                    handOvers.granted(acquireSent, System.nanoTime());
                }
            }
            if (++answered == settings.depth()) {
                stepDone();
            }
        }

        private int check(Step step, int from, int end) {
            try {
                return settings.protocol().check(step, in, from, end);
            } catch (BenchException e) {
                throw failure(String.valueOf(e.getMessage()));
            }
        }

        private BenchException failure(String what) {
            return new BenchException("worker " + id + ": " + what);
        }

        private void stepDone() throws IOException {
            at = (at + 1) % round.size();
            if (at > 0 || roundDone()) {
                ready(this);
            } else {
                parked = true;
            }
        }
    }
}
