package io.flockgate.bench.consul;

import static io.flockgate.bench.consul.Table.atMost;
import static io.flockgate.bench.consul.Table.number;

import io.flockgate.bench.Latencies;
import io.flockgate.bench.PairClients;
import io.flockgate.bench.ProcessMeter;
import io.flockgate.bench.Waiting;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.DoubleStream;
import org.HdrHistogram.Histogram;

/** The measurements as tables, each with its targets; medians of rounds. */
final class Parts {
    private static final int MANY_CLIENTS = 64;
    private static final int RENEWALS = 1000;
    private static final Duration MAX_WARM_UP = Duration.ofSeconds(20);

    private final IntFunction<Bed> beds;
    private final List<Integer> servers;
    private final int rounds;
    private final Duration time;
    private final PrintStream log;

    /**
     * @param beds makes a bed of this number of servers
     * @param servers the numbers of servers to measure on
     */
    Parts(IntFunction<Bed> beds, List<Integer> servers, int rounds, Duration time, PrintStream log) {
        this.beds = beds;
        this.servers = servers;
        this.rounds = rounds;
        this.time = time;
        this.log = log;
    }

    /**
     * A gateway's JVM spends half a minute under load on compilation, which would be measured too
     * on two shared cores without a warm-up.
     */
    private Duration warmUp() {
        Duration longer = time.multipliedBy(4);
        return longer.compareTo(MAX_WARM_UP) < 0 ? longer : MAX_WARM_UP;
    }

    private void note(String what) {
        log.println("consul: " + what);
    }

    private static double median(DoubleStream results) {
        double[] sorted = results.sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** One round of a measurement. */
    private interface Round {
        double[] run() throws IOException, InterruptedException;
    }

    /** The medians of each figure of the rounds. */
    private double[] medians(String what, Round measurement) throws IOException, InterruptedException {
        List<double[]> results = new ArrayList<>();
        for (int round = 1; round <= rounds; round++) {
            note("round " + round + ": " + what);
            results.add(measurement.run());
        }
        double[] medians = new double[results.getFirst().length];
        for (int i = 0; i < medians.length; i++) {
            int figure = i;
            medians[i] = median(results.stream().mapToDouble(each -> each[figure]));
        }
        return medians;
    }

    String hot() throws IOException, InterruptedException {
        Table table = new Table(
                "One hot key: three gateways, 6 clients each; hand-over: release sent to next grant received; a write: the"
                        + " median of single writes to Consul meanwhile",
                "Consul",
                "key",
                "held, ms",
                "grants/s",
                "entries a grant",
                "a write, ms",
                "hand-over p50, ms",
                "p99, ms",
                "hand-over p50, writes");
        for (int each : servers) {
            try (Bed bed = beds.apply(each);
                    GatewayProcess first = bed.gateway(0, "hot-a");
                    GatewayProcess second = bed.gateway(1, "hot-b");
                    GatewayProcess third = bed.gateway(2, "hot-c")) {
                List<GatewayProcess> gateways = List.of(first, second, third);
                note("warm-up: hot, " + bed.name());
                double[] unused = new HotKey(Kind.semaphore(2), "hot-warm", 0, warmUp()).run(gateways, bed);
                for (Kind kind : List.of(Kind.LOCK, Kind.semaphore(2))) {
                    for (int hold : List.of(5, 0)) {
                        HotKey load = new HotKey(kind, "hot-" + kind.limit(), hold, time);
                        String what = "hot " + kind + ", " + bed.name() + ", held for " + hold + " ms";
                        double[] found = medians(what, () -> load.run(gateways, bed));
                        table.add(
                                bed.name(),
                                kind,
                                hold,
                                number(found[0], 0),
                                atMost(found[1], 3.5, 2),
                                number(found[2], 2),
                                number(found[3], 2),
                                number(found[4], 2),
                                atMost(found[5], 2.0, 2));
                    }
                }
            }
        }
        return table.toString();
    }

    String idle(Duration watched) throws IOException, InterruptedException {
        Table table = new Table(
                "A gateway that does nothing, and renewals", "what", "count", "entries", "entries each", "p50, ms");
        try (Bed bed = beds.apply(1);
                GatewayProcess gateway = bed.gateway(0, "idle")) {
            Waiting.pauseMillis(2_000);
            note("an idle gateway for " + watched.toSeconds() + " s");
            Bed.Count count = bed.count();
            Waiting.pause(watched);
            long entries = count.entries(0);
            double minutes = watched.toMillis() / 60_000.0;
            table.add("minutes idle", number(minutes, 1), entries, atMost(entries / minutes, 2.0, 2), "–");
            table.add("the same, Consul alone", number(minutes, 1), count.own(), number(count.own() / minutes, 2), "–");
            for (Kind kind : List.of(Kind.LOCK, Kind.semaphore(2))) {
                renew(table, bed, gateway, kind, 20);
                renew(table, bed, gateway, kind, 5);
            }
        }
        return table.toString();
    }

    private void renew(Table table, Bed bed, GatewayProcess gateway, Kind kind, int lease) throws IOException {
        note("renewals of " + lease + " s, " + kind);
        try (LineClient client = Kind.connect(gateway)) {
            HeldGrant grant = kind.acquire(client, "renew-" + kind.limit() + "-" + lease, lease);
            Histogram times = Latencies.histogram();
            Bed.Count count = bed.count();
            for (int i = 0; i < RENEWALS; i++) {
                long sent = System.nanoTime();
                Kind.renew(client, grant, lease);
                Latencies.record(times, System.nanoTime() - sent);
            }
            long entries = count.entries(0);
            double each = (double) entries / RENEWALS;
            client.release(grant);
            table.add(
                    "renewals, " + kind + ", lease " + lease + " s",
                    RENEWALS,
                    entries,
                    lease >= 20 ? atMost(each, 0, 2) : number(each, 2),
                    number(Latencies.millis(times, 50), 2));
        }
    }

    String many() throws IOException, InterruptedException {
        Table table = new Table(
                "Independent keys through one gateway; CPU of gateway, Consul and driver, µs a pair",
                "Consul",
                "clients",
                "entries a pair",
                "pairs/s",
                "p50, ms",
                "CPU");
        for (int each : servers) {
            try (Bed bed = beds.apply(each);
                    GatewayProcess gateway = bed.gateway(0, "many")) {
                note("warm-up: " + MANY_CLIENTS + " clients, " + bed.name());
                double[] unused = pairs(bed, gateway, MANY_CLIENTS, warmUp());
                for (int clients : List.of(MANY_CLIENTS, 1)) {
                    String what = clients + " clients on keys of their own, " + bed.name();
                    double[] found = medians(what, () -> pairs(bed, gateway, clients, time));
                    table.add(
                            bed.name(),
                            clients,
                            clients == 1 ? number(found[0], 2) : atMost(found[0], 0.5, 2),
                            number(found[1], 0),
                            number(found[2], 2),
                            number(found[3], 0) + " + " + number(found[4], 0) + " + " + number(found[5], 0));
                }
            }
        }
        return table.toString();
    }

    /**
     * Runs pairs for the given time, after a warm-up that is not counted. Returns entries in
     * Consul's log per pair, pairs per second, the median milliseconds of a pair, and the CPU time
     * of gateway, Consul and driver in microseconds per pair.
     */
    private static double[] pairs(Bed bed, GatewayProcess gateway, int count, Duration time) {
        ProcessMeter own = ProcessMeter.self();
        ProcessMeter served = new ProcessMeter(gateway.pid());
        try (PairClients clients = new PairClients(gateway.port(), count, "many", false)) {
            Histogram unused = clients.measure(time.dividedBy(2));
            long gatewayCpu = served.cpuNanos();
            long consulCpu = bed.cpuNanos();
            long driverCpu = own.cpuNanos();
            Bed.Count entries = bed.count();
            long start = System.nanoTime();
            Histogram times = clients.measure(time);
            double pairs = times.getTotalCount();
            return new double[] {
                entries.entries(0) / pairs,
                pairs * 1e9 / (System.nanoTime() - start),
                Latencies.millis(times, 50),
                (served.cpuNanos() - gatewayCpu) / 1e3 / pairs,
                (bed.cpuNanos() - consulCpu) / 1e3 / pairs,
                (own.cpuNanos() - driverCpu) / 1e3 / pairs
            };
        }
    }

    String crash() throws IOException, InterruptedException {
        Table table = new Table(
                "A gateway killed while its clients hold " + Crash.KEYS
                        + " keys, leases just renewed: seconds from the kill to the grants of waiters at another gateway",
                "Consul",
                "lease, s",
                "median",
                "longest");
        for (int each : servers) {
            try (Bed bed = beds.apply(each)) {
                for (int lease : List.of(1, 3, 8)) {
                    List<Double> seconds = new ArrayList<>();
                    for (int round = 1; round <= rounds; round++) {
                        note("round " + round + ": crash, leases of " + lease + " s, " + bed.name());
                        seconds.addAll(Crash.run(bed, lease, "crash-" + lease + "-" + round + "-"));
                    }
                    double longest = Collections.max(seconds);
                    double median = median(seconds.stream().mapToDouble(found -> found));
                    table.add(bed.name(), lease, number(median, 2), atMost(longest, lease + 1.5, 2));
                }
            }
        }
        return table.toString();
    }
}
