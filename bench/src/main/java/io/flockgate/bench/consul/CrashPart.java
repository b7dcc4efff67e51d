package io.flockgate.bench.consul;

import static io.flockgate.bench.consul.Table.atMost;
import static io.flockgate.bench.consul.Table.number;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** The table of the times from a gateway's crash until others are granted what its clients held. */
final class CrashPart {
    private static final int LONG_LEASE = 60;

    private final Parts parts;

    CrashPart(Parts parts) {
        this.parts = parts;
    }

    private record Case(int lease, double most, List<String> flags) {
        String name() {
            return flags.isEmpty() ? "–" : String.join(" ", flags);
        }
    }

    String tables() {
        Table table = new Table(
                "A gateway killed while its clients hold " + Crash.KEYS
                        + " keys, leases just renewed: seconds from the kill to the grants of waiters at another gateway",
                "Consul",
                "lease, s",
                "flags",
                "median",
                "longest");
        for (Supplier<Bed> each : parts.beds()) {
            try (Bed bed = each.get()) {
                for (int lease : List.of(1, 3, 8)) {
                    add(table, bed, new Case(lease, lease + 1.5, List.of()), parts.rounds());
                }
                add(table, bed, new Case(LONG_LEASE, 3.5, List.of("--consul-check-ttl", "2")), parts.rounds());
                // Twice the time to live, by Consul's own clock: no target.
                add(table, bed, new Case(LONG_LEASE, Double.NaN, List.of()), 1);
            }
        }
        return table.toString();
    }

    private void add(Table table, Bed bed, Case one, int rounds) {
        List<Double> seconds = new ArrayList<>();
        for (int round = 1; round <= rounds; round++) {
            parts.note(
                    "round " + round + ": crash, leases of " + one.lease() + " s, " + one.name() + ", " + bed.name());
            String name = "crash-" + one.lease() + "-" + one.flags().size() + "-" + round + "-";
            seconds.addAll(new Crash(parts.kit(), bed)
                    .run(one.lease(), name, one.flags().toArray(String[]::new)));
        }
        double longest = seconds.stream().mapToDouble(each -> each).max().orElseThrow();
        table.add(
                bed.name(),
                one.lease(),
                one.name(),
                number(Parts.median(seconds, each -> each), 2),
                Double.isNaN(one.most()) ? number(longest, 2) : atMost(longest, one.most(), 2));
    }
}
