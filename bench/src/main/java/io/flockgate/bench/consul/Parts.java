package io.flockgate.bench.consul;

import static io.flockgate.bench.consul.Table.atMost;
import static io.flockgate.bench.consul.Table.number;

import io.flockgate.bench.Latencies;
import io.flockgate.bench.Waiting;
import io.flockgate.bench.consul.Client.Kind;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** The measurements of single runs as tables, each with its targets; medians of rounds. */
final class Parts {
    private static final int MANY_CLIENTS = 64;
    private static final Duration MAX_WARM_UP = Duration.ofSeconds(20);

    private final String launcher;
    private final List<Supplier<Bed>> beds;
    private final Bed idle;
    private final int rounds;
    private final Duration time;
    private final PrintStream log;

    Parts(String launcher, List<Supplier<Bed>> beds, Bed idle, int rounds, Duration time, PrintStream log) {
        this.launcher = launcher;
        this.beds = beds;
        this.idle = idle;
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

    private RaftMeter meter(Bed bed) {
        return new RaftMeter(bed, idle);
    }

    private void note(String what) {
        log.println("consul: " + what);
    }

    private static <T> double median(List<T> results, ToDoubleFunction<T> figure) {
        double[] sorted = results.stream().mapToDouble(figure).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    String hot() {
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
        for (Supplier<Bed> each : beds) {
            try (Bed bed = each.get();
                    BenchGateway first = BenchGateway.start(launcher, "hot-a", bed.address(0));
                    BenchGateway second = BenchGateway.start(launcher, "hot-b", bed.address(1));
                    BenchGateway third = BenchGateway.start(launcher, "hot-c", bed.address(2))) {
                List<BenchGateway> gateways = List.of(first, second, third);
                note("warm-up: hot, " + bed.name());
                HotKey.Load warm = new HotKey.Load(Kind.semaphore(2), "hot-warm", 0, warmUp());
                HotKey.HotKeyResult unused = HotKey.run(gateways, bed, warm, meter(bed));
                for (Kind kind : List.of(Kind.LOCK, Kind.semaphore(2))) {
                    hot(table, bed, gateways, kind, 5);
                    hot(table, bed, gateways, kind, 0);
                }
            }
        }
        return table.toString();
    }

    private void hot(Table table, Bed bed, List<BenchGateway> gateways, Kind kind, int holdMillis) {
        List<HotKey.HotKeyResult> results = new ArrayList<>();
        for (int round = 1; round <= rounds; round++) {
            note("round " + round + ": hot " + kind + ", " + bed.name() + ", held for " + holdMillis + " ms");
            HotKey.Load load = new HotKey.Load(kind, "hot-" + kind.limit(), holdMillis, time);
            results.add(HotKey.run(gateways, bed, load, meter(bed)));
        }
        table.add(
                bed.name(),
                kind,
                holdMillis,
                number(median(results, HotKey.HotKeyResult::grantsPerSecond), 0),
                atMost(median(results, HotKey.HotKeyResult::writesPerGrant), 3.5, 2),
                number(median(results, HotKey.HotKeyResult::writeMillis), 2),
                number(median(results, each -> Latencies.millis(each.handOvers(), 50)), 2),
                number(median(results, each -> Latencies.millis(each.handOvers(), 99)), 2),
                atMost(median(results, HotKey.HotKeyResult::handOverInWrites), 2.0, 2));
    }

    String idle(Duration watched) {
        Table table = new Table(
                "A gateway that does nothing, and renewals", "what", "count", "entries", "entries each", "p50, ms");
        try (Bed bed = Bed.of(1);
                BenchGateway gateway = BenchGateway.start(launcher, "idle", bed.address(0))) {
            RaftMeter meter = meter(bed);
            Waiting.pauseMillis(2_000);
            note("an idle gateway for " + watched.toSeconds() + " s");
            RaftMeter.Count count = meter.start();
            Waiting.pause(watched);
            long entries = count.entries(0);
            double minutes = watched.toMillis() / 60_000.0;
            table.add("minutes idle", number(minutes, 1), entries, atMost(entries / minutes, 2.0, 2), "–");
            table.add("the same, Consul alone", number(minutes, 1), count.own(), number(count.own() / minutes, 2), "–");
            for (Kind kind : List.of(Kind.LOCK, Kind.semaphore(2))) {
                renew(table, gateway, kind, 20, meter);
                renew(table, gateway, kind, 5, meter);
            }
        }
        return table.toString();
    }

    private void renew(Table table, BenchGateway gateway, Kind kind, int lease, RaftMeter meter) {
        note("renewals of " + lease + " s, " + kind);
        var result = Renewals.run(gateway, kind, "renew-" + kind.limit() + "-" + lease, lease, 1000, meter);
        table.add(
                "renewals, " + kind + ", lease " + lease + " s",
                result.renewals(),
                result.entries(),
                lease >= 20 ? atMost(result.writesPerRenewal(), 0, 2) : number(result.writesPerRenewal(), 2),
                number(Latencies.millis(result.times(), 50), 2));
    }

    String many() {
        Table cost = new Table(
                "Independent keys through one gateway; CPU of gateway, Consul and driver, µs a pair",
                "Consul",
                "clients",
                "entries a pair",
                "pairs/s",
                "p50, ms",
                "CPU");
        for (Supplier<Bed> each : beds) {
            try (Bed bed = each.get();
                    BenchGateway gateway = BenchGateway.start(launcher, "many", bed.address(0))) {
                note("warm-up: " + MANY_CLIENTS + " clients, " + bed.name());
                var unused = ManyClients.run(gateway, bed, MANY_CLIENTS, "many-warm", warmUp(), meter(bed));
                for (int clients : List.of(MANY_CLIENTS, 1)) {
                    many(cost, bed, gateway, clients);
                }
            }
        }
        return cost.toString();
    }

    private void many(Table table, Bed bed, BenchGateway gateway, int clients) {
        RaftMeter meter = meter(bed);
        List<ManyClients> results = new ArrayList<>();
        for (int round = 1; round <= rounds; round++) {
            note("round " + round + ": " + clients + " clients on keys of their own, " + bed.name());
            results.add(ManyClients.run(gateway, bed, clients, "many", time, meter));
        }
        double entries = median(results, ManyClients::writesPerPair);
        table.add(
                bed.name(),
                clients,
                clients == 1 ? number(entries, 2) : atMost(entries, 0.5, 2),
                number(median(results, ManyClients::pairsPerSecond), 0),
                number(median(results, each -> Latencies.millis(each.times(), 50)), 2),
                cpu(results));
    }

    private static String cpu(List<ManyClients> results) {
        return number(median(results, each -> each.micros(each.gatewayCpu())), 0)
                + " + " + number(median(results, each -> each.micros(each.consulCpu())), 0)
                + " + " + number(median(results, each -> each.micros(each.driverCpu())), 0);
    }

    String crash() {
        Table table = new Table(
                "A gateway killed while its clients hold " + Crash.KEYS
                        + " keys, leases just renewed: seconds from the kill to the grants of waiters at another gateway",
                "Consul",
                "lease, s",
                "median",
                "longest");
        for (Supplier<Bed> each : beds) {
            try (Bed bed = each.get()) {
                for (int lease : List.of(1, 3, 8)) {
                    crash(table, bed, lease);
                }
            }
        }
        return table.toString();
    }

    private void crash(Table table, Bed bed, int lease) {
        List<Double> seconds = new ArrayList<>();
        for (int round = 1; round <= rounds; round++) {
            note("round " + round + ": crash, leases of " + lease + " s, " + bed.name());
            seconds.addAll(Crash.run(launcher, bed, lease, "crash-" + lease + "-" + round + "-"));
        }
        double longest = seconds.stream().mapToDouble(each -> each).max().orElseThrow();
        table.add(bed.name(), lease, number(median(seconds, each -> each), 2), atMost(longest, lease + 1.5, 2));
    }
}
