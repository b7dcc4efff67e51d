package io.flockgate.bench.load;

import io.flockgate.bench.BenchException;
import io.flockgate.bench.ProcessMeter;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import joptsimple.OptionException;

/** The load driver's command: exit 0 with a line of JSON, 1 when a run failed, 2 on bad options. */
public final class LoadMain {
    /** The number of keys to hold that are acquired in one write. */
    private static final int WINDOW = 256;

    private static final long SETTLE_MILLIS = 300;

    private final Settings settings;
    private final ProcessMeter server;

    private LoadMain(Settings settings) {
        this.settings = settings;
        this.server = new ProcessMeter(settings.pid());
    }

    /** Runs one load, prints its figures on standard output and ends the process. */
    public static void main(String[] args) {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.exit(run(args, out, System.err));
    }

    static int run(String[] args, PrintStream out, PrintStream err) {
        try {
            Map<String, Double> figures = new LoadMain(Settings.of(args)).run();
            out.println(figures.entrySet().stream()
                    .map(each -> String.format(Locale.ROOT, "\"%s\":%.3f", each.getKey(), each.getValue()))
                    .collect(Collectors.joining(",", "{", "}")));
            return 0;
        } catch (OptionException | IllegalArgumentException e) {
            err.println("load: " + e.getMessage());
            return 2;
        } catch (BenchException | IOException e) {
            err.println("load: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            err.println("load: interrupted");
        }
        return 1;
    }

    /** Runs the load. @throws BenchException on an unexpected answer */
    private Map<String, Double> run() throws IOException, InterruptedException {
        long freshKb = server.residentKb();
        Measurement empty = measure();
        if (settings.held() == 0) {
            return empty.figures();
        }
        try (Connection connection = new Connection(settings.address(), settings.protocol())) {
            long start = System.nanoTime();
            for (int first = 0; first < settings.held(); first += WINDOW) {
                hold(connection, first, Math.min(settings.held(), first + WINDOW));
            }
            long nanos = System.nanoTime() - start;
            Thread.sleep(SETTLE_MILLIS);
            long heldKb = server.residentKb() - freshKb;
            Measurement beside = measure();
            connection.leave();
            Map<String, Double> figures = beside.figures();
            figures.put("fill_s", nanos / 1e9);
            figures.put("bytes_each", heldKb * 1024.0 / settings.held());
            figures.put("empty_us_per_pair", empty.serverMicrosPerPair());
            figures.put("cost_ratio", beside.serverMicrosPerPair() / empty.serverMicrosPerPair());
            return figures;
        }
    }

    private Measurement measure() throws IOException {
        try (Driver driver = new Driver(settings, server)) {
            return driver.measure();
        }
    }

    /** Acquires the keys of one window: one write, then all grants. */
    private void hold(Connection connection, int first, int last) throws IOException {
        List<String> keys =
                IntStream.range(first, last).mapToObj(i -> "kept_bench_" + i).toList();
        Step step = connection.acquire(keys, Settings.HELD_LEASE_SECONDS);
        connection.send(step.frame());
        Protocol protocol = settings.protocol();
        ByteBuffer in = ByteBuffer.allocate(WINDOW * protocol.room());
        int used = 0;
        for (int granted = 0; granted < keys.size(); granted++) {
            int end = protocol.end(in, used, in.position());
            while (end == Protocol.NONE) {
                if (connection.channel().read(in) <= 0) {
                    throw new BenchException(
                            "connection closed by the server after " + (first + granted) + " held keys");
                }
                end = protocol.end(in, used, in.position());
            }
            int ignored = protocol.check(step, in, used, end);
            used = end;
        }
    }
}
