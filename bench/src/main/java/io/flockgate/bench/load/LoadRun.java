package io.flockgate.bench.load;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One run, from the first connection to the result. */
final class LoadRun {
    private static final int WINDOW = 256;
    private static final long SETTLE_MILLIS = 300;

    private final Settings settings;
    private final Dialect dialect;
    private final Dialler dialler;

    LoadRun(Settings settings) {
        this.settings = settings;
        this.dialect = dialect(settings);
        this.dialler = new Dialler(settings, dialect);
    }

    private static Dialect dialect(Settings settings) {
        return switch (settings.protocol()) {
            case LINE -> new LineDialect(settings);
            case RESP -> new RespDialect(settings);
            case HTTP -> new HttpDialect(settings);
        };
    }

    /** Runs the load. @throws LoadException on an unexpected answer */
    Outcome run() throws IOException, InterruptedException {
        ProcessMeter server = settings.pid() == 0 ? null : new ProcessMeter(settings.pid());
        long emptyKb = server == null ? 0 : server.residentKb();
        dialect.prepare(dialler);
        Measurement first = measure(server);
        return switch (settings.mode()) {
            case CYCLE, PIPELINE, HOT, SEM, TWOPHASE -> new Outcome(settings, first, null);
            case KEYS, IDLE -> burdened(server, emptyKb, first);
        };
    }

    private Measurement measure(@Nullable ProcessMeter server) throws IOException {
        try (Driver driver = new Driver(settings, dialect, dialler, server)) {
            return driver.measure();
        }
    }

    private Outcome burdened(@Nullable ProcessMeter server, long emptyKb, Measurement unburdened)
            throws IOException, InterruptedException {
        List<Connection> held = new ArrayList<>();
        try {
            long start = System.nanoTime();
            take(held);
            long nanos = System.nanoTime() - start;
            Thread.sleep(SETTLE_MILLIS);
            long heldKb = server == null ? 0 : server.residentKb();
            Measurement measured = measure(server);
            for (Connection connection : held) {
                dialler.close(connection);
            }
            int count = settings.burden();
            return new Outcome(settings, measured, new Outcome.Burden(count, unburdened, nanos, emptyKb, heldKb));
        } finally {
            for (Connection connection : held) {
                connection.close();
            }
        }
    }

    private void take(List<Connection> held) throws IOException {
        if (settings.mode() == Mode.IDLE) {
            for (int i = 0; i < settings.burden(); i++) {
                held.add(dialler.open());
            }
            return;
        }
        Connection connection = dialler.open();
        held.add(connection);
        for (int first = 0; first < settings.burden(); first += WINDOW) {
            hold(connection, first, Math.min(settings.burden(), first + WINDOW));
        }
    }

    /** Takes the keys of one window: one write, then all grants. */
    private void hold(Connection connection, int first, int last) throws IOException {
        Step step = dialect.hold(
                IntStream.range(first, last)
                        .mapToObj(i -> "kept_" + settings.key() + "_" + i)
                        .toList(),
                connection.session());
        SocketChannel channel = connection.channel();
        makeTokens(step, first);
        ByteBuffer frame = step.frame();
        while (frame.hasRemaining()) {
            if (channel.write(frame) < 0) {
                throw new LoadException("connection closed by the server");
            }
        }
        ByteBuffer in = ByteBuffer.allocate(WINDOW * dialect.replies().room());
        int granted = 0;
        while (granted < last - first) {
            if (channel.read(in) <= 0) {
                throw new LoadException("connection closed by the server after " + (first + granted) + " held keys");
            }
            granted += grants(in);
        }
    }

    private int grants(ByteBuffer in) {
        int used = 0;
        int count = 0;
        int end = dialect.replies().end(in, 0, in.position());
        while (end != Replies.NONE) {
            int ignored = dialect.replies().check(in, used, end, Expected.GRANT);
            count++;
            used = end;
            end = dialect.replies().end(in, used, in.position());
        }
        in.flip().position(used);
        in.compact();
        return count;
    }

    private static void makeTokens(Step step, int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int slot = 0; slot < step.tokens().size(); slot++) {
            String token = String.format("%016x%016x", random.nextLong(), random.nextLong());
            step.setToken(slot, ByteBuffer.wrap(Replies.ascii(token)), 0);
        }
    }
}
