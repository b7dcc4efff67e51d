package io.flockgate.bench.consul;

import static io.flockgate.bench.consul.Table.atLeast;
import static io.flockgate.bench.consul.Table.atMost;
import static io.flockgate.bench.consul.Table.number;

import io.flockgate.bench.consul.Client.Kind;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/** The table of gateways beside writes to Consul without a gateway. All figures of a round are measured one after the other. */
final class BarePart {
    private static final int CLIENTS = 18;
    private static final int MANY_CLIENTS = 64;
    private static final int SHORT_LEASE = 5;
    private static final int LONG_LEASE = 30;

    private final Parts parts;
    private final Duration time;

    BarePart(Parts parts, Duration time) {
        this.parts = parts;
        this.time = time;
    }

    /**
     * One figure of a round beside its unit.
     *
     * @param entries entries of the log for each; not a number where they are not counted
     */
    private record Measured(double perSecond, double unit, double entries) {
        double ratio() {
            return perSecond / unit;
        }
    }

    String tables() {
        Table table = new Table(
                "Gateways beside bare writes to Consul: a hot lock beside conditional writes by one connection, keys of"
                        + " clients' own beside plain writes by 64 connections",
                "Consul",
                "what",
                "a second",
                "bare",
                "ratio",
                "entries each");
        for (Supplier<Bed> each : parts.beds()) {
            try (Bed bed = each.get();
                    BenchGateway first = parts.kit().start("bare-a", bed.address(0));
                    BenchGateway second = parts.kit().start("bare-b", bed.address(1));
                    BenchGateway third = parts.kit().start("bare-c", bed.address(2))) {
                List<BenchGateway> gateways = List.of(first, second, third);
                warmUp(bed, gateways);
                Map<String, List<Measured>> all = new LinkedHashMap<>();
                for (int round = 1; round <= parts.rounds(); round++) {
                    parts.note("round " + round + ": beside bare writes, " + bed.name());
                    round(bed, gateways, all);
                }
                all.forEach((what, results) -> add(table, bed, what, results));
            }
        }
        return table.toString();
    }

    private void warmUp(Bed bed, List<BenchGateway> gateways) {
        parts.note("warm-up: beside bare writes, " + bed.name());
        var hot = hot(bed, gateways, LONG_LEASE, parts.warmUp());
        double pairs = pairs(gateways, parts.warmUp());
        parts.note("warm: " + number(hot.grantsPerSecond(), 0) + " grants/s, " + number(pairs, 0) + " pairs/s");
    }

    private void round(Bed bed, List<BenchGateway> gateways, Map<String, List<Measured>> all) {
        double write = BareWrites.conditional(bed.address(0), time);
        HotKey.HotKeyResult three = hot(bed, gateways, LONG_LEASE, time);
        HotKey.HotKeyResult brief = hot(bed, gateways, SHORT_LEASE, time);
        HotKey.HotKeyResult one = hot(bed, gateways.subList(0, 1), LONG_LEASE, time);
        double puts = BareWrites.puts(bed.addresses(), MANY_CLIENTS, time);
        double own = pairs(gateways.subList(0, 1), time);
        double ownOfThree = pairs(gateways, time);
        note(all, "hot lock, three gateways", measured(three, write));
        note(all, "hot lock, one gateway", measured(one, write));
        note(all, "hot lock, leases of 5 s ÷ of 30 s", measured(brief, three.grantsPerSecond()));
        note(all, "own keys, one gateway", new Measured(own, puts, Double.NaN));
        note(all, "own keys, three gateways", new Measured(ownOfThree, puts, Double.NaN));
    }

    private static Measured measured(HotKey.HotKeyResult result, double unit) {
        return new Measured(result.grantsPerSecond(), unit, result.writesPerGrant());
    }

    private static void note(Map<String, List<Measured>> all, String what, Measured measured) {
        all.computeIfAbsent(what, absent -> new ArrayList<>()).add(measured);
    }

    private HotKey.HotKeyResult hot(Bed bed, List<BenchGateway> gateways, int lease, Duration length) {
        HotKey.Load load = new HotKey.Load(Kind.LOCK, "bare-hot", CLIENTS / gateways.size(), 0, lease, length);
        return HotKey.run(gateways, bed, load, parts.meter(bed));
    }

    /** Acquires and releases a second by 64 clients on keys of their own. */
    private static double pairs(List<BenchGateway> gateways, Duration length) {
        long start = System.nanoTime();
        long pairs = 0;
        List<Future<Long>> running = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < gateways.size(); i++) {
                int clients = (MANY_CLIENTS + i) / gateways.size();
                InetSocketAddress address = gateways.get(i).address();
                String key = "bare-own-" + i;
                running.add(threads.submit(() -> pairs(address, clients, key, length)));
            }
            pairs = running.stream().mapToLong(ManyClients::result).sum();
        }
        return pairs * 1e9 / (System.nanoTime() - start);
    }

    private static long pairs(InetSocketAddress address, int clients, String key, Duration length) {
        try (Pairs pairs = new Pairs(address, clients, key)) {
            return pairs.run(length).getTotalCount();
        }
    }

    private static void add(Table table, Bed bed, String what, List<Measured> results) {
        double target = switch (what) {
            case "hot lock, three gateways" -> 0.5;
            case "hot lock, one gateway" -> 0.7;
            case "own keys, three gateways" -> 0.6;
            default -> 0.8;
        };
        double entries = Parts.median(results, Measured::entries);
        table.add(
                bed.name(),
                what,
                number(Parts.median(results, Measured::perSecond), 0),
                number(Parts.median(results, Measured::unit), 0),
                atLeast(Parts.median(results, Measured::ratio), target, 2),
                what.contains("5 s") ? number(entries, 2) : atMost(entries, 1.3, 2));
    }
}
