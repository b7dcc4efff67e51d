package io.flockgate.bench.load;

import io.flockgate.bench.BenchException;
import io.flockgate.bench.ProcessMeter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.stream.IntStream;

/** One run, from the first connection to the result. */
final class LoadRun {
    private static final int WINDOW = 256;
    private static final long SETTLE_MILLIS = 300;

    private final Settings settings;
    private final Dialect dialect;
    private final Dialler dialler;
    private final ProcessMeter server;

    LoadRun(Settings settings) {
        this.settings = settings;
        this.dialect = settings.dialect();
        this.dialler = new Dialler(settings.address(), dialect);
        this.server = new ProcessMeter(settings.pid());
    }

    /** Runs the load. @throws BenchException on an unexpected answer */
    Report run() throws IOException, InterruptedException {
        long freshKb = server.residentKb();
        Measurement first = measure();
        return settings.held() == 0 ? new Report(first) : held(freshKb, first);
    }

    private Measurement measure() throws IOException {
        try (Driver driver = new Driver(settings, dialect, dialler, server)) {
            return driver.measure();
        }
    }

    private Report held(long freshKb, Measurement empty) throws IOException, InterruptedException {
        try (Connection connection = dialler.open()) {
            long start = System.nanoTime();
            for (int first = 0; first < settings.held(); first += WINDOW) {
                hold(connection, first, Math.min(settings.held(), first + WINDOW));
            }
            long nanos = System.nanoTime() - start;
            Thread.sleep(SETTLE_MILLIS);
            long heldKb = server.residentKb() - freshKb;
            Measurement measured = measure();
            Report report = new Report(measured);
            report.addHeld(settings.held(), heldKb, nanos, empty, measured);
            dialler.close(connection);
            return report;
        }
    }

    /** Acquires the keys of one window: one write, then all grants. */
    private void hold(Connection connection, int first, int last) throws IOException {
        Step step = dialect.acquire(
                IntStream.range(first, last).mapToObj(i -> "kept_bench_" + i).toList(),
                connection.session(),
                Settings.HELD_LEASE_SECONDS);
        SocketChannel channel = connection.channel();
        ByteBuffer frame = step.frame();
        while (frame.hasRemaining()) {
            if (channel.write(frame) < 0) {
                throw new BenchException("connection closed by the server");
            }
        }
        ByteBuffer in = ByteBuffer.allocate(WINDOW * dialect.replies().room());
        int granted = 0;
        while (granted < last - first) {
            if (channel.read(in) <= 0) {
                throw new BenchException("connection closed by the server after " + (first + granted) + " held keys");
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
}
