package io.flockgate.bench.consul;

import static io.flockgate.bench.consul.Table.atMost;
import static io.flockgate.bench.consul.Table.number;

import io.flockgate.bench.load.Latencies;
import org.HdrHistogram.Histogram;

/** The table of many contended keys on one gateway, within and beyond the number that it watches one by one. */
final class ManyKeysPart {
    private static final int WITHIN = 100;
    private static final int CONNECTIONS = 200;

    private final Parts parts;
    private final int keys;

    ManyKeysPart(Parts parts, int keys) {
        this.parts = parts;
        this.keys = keys;
    }

    String tables() {
        Table table = new Table(
                "Keys that clients of one gateway wait for, released one after the other; hand-over of the first "
                        + ManyKeys.BUDGET
                        + ", which are watched each for itself, and of the others; CPU of that gateway",
                "keys",
                "held through",
                "watched p50, ms",
                "p99, ms",
                "others p50, ms",
                "p99, ms",
                "a write, ms",
                "connections at the agent",
                "CPU standing",
                "CPU releasing");
        // Each gateway has an agent of its own, so that all counted connections are of one gateway.
        try (Bed bed = Bed.three()) {
            add(table, bed, WITHIN, false);
            add(table, bed, keys, false);
            add(table, bed, keys, true);
        }
        return table.toString();
    }

    private void add(Table table, Bed bed, int count, boolean near) {
        parts.note(count + " contended keys, held through " + (near ? "the same gateway" : "another"));
        String name = "keys-" + count + (near ? "-near" : "-far");
        try (BenchGateway waiting = parts.kit().start(name + "-waiting", bed.address(0));
                BenchGateway other = parts.kit().start(name + "-other", bed.address(1))) {
            ManyKeys.ManyKeysResult result =
                    new ManyKeys(waiting, near ? waiting : other, bed, bed.address(0)).run(name, count);
            table.add(
                    count,
                    near ? "the same" : "another",
                    millis(result.watched(), 50),
                    millis(result.watched(), 99),
                    millis(result.beyond(), 50),
                    millis(result.beyond(), 99),
                    number(result.writeMillis(), 2),
                    atMost(result.connections(), CONNECTIONS, 0),
                    percent(result.standingCpu()),
                    percent(result.busyCpu()));
        }
    }

    private static String millis(Histogram times, double percentile) {
        return number(Latencies.millis(times, percentile), 1);
    }

    private static String percent(double share) {
        return number(share * 100, 0) + " %";
    }
}
