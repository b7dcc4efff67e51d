package io.flockgate.bench.load;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/** A result as text for people, or as one flat JSON object. */
final class Report {
    private final Outcome outcome;
    private final Settings settings;
    private final Measurement measured;

    Report(Outcome outcome) {
        this.outcome = outcome;
        this.settings = outcome.settings();
        this.measured = outcome.measured();
    }

    String text() {
        StringBuilder text = new StringBuilder(header()).append('\n');
        line(text, "total ops", "%d", measured.pairs());
        line(text, "wall time", "%.3f s", measured.wallNanos() / 1e9);
        line(text, "throughput", "%.1f ops/s", measured.pairsPerSecond());
        Histogram latency = measured.latency();
        line(text, "mean", "%.3f ms", latency.getMean() / 1e6);
        line(text, "min", "%.3f ms", latency.getMinValue() / 1e6);
        line(text, "max", "%.3f ms", latency.getMaxValue() / 1e6);
        line(text, "p50", "%.3f ms", latency.getValueAtPercentile(50) / 1e6);
        line(text, "p99", "%.3f ms", latency.getValueAtPercentile(99) / 1e6);
        line(text, "stdev", "%.3f ms", latency.getStdDeviation() / 1e6);
        line(text, "driver share", "%.1f %%", measured.driverShare() * 100);
        handOffs(text);
        burden(text);
        server(text);
        return text.toString();
    }

    private String header() {
        String span = settings.rounds() > 0
                ? settings.rounds() + " rounds"
                : String.format(Locale.ROOT, "%.1f s", settings.measureNanos() / 1e9);
        String shape = switch (settings.mode()) {
            case PIPELINE -> ", depth " + settings.depth();
            case SEM -> ", limit " + settings.limit();
            case KEYS -> ", " + settings.burden() + " keys held";
            case IDLE -> ", " + settings.burden() + " idle connections";
            case CYCLE, HOT, TWOPHASE -> "";
        };
        return lower(settings.mode()) + ": " + settings.workers() + " workers x " + span + shape + ", key '"
                + settings.key() + "' (" + (settings.shared() ? "shared" : "unique")
                + "), 1 connection per worker, transport tcp (" + lower(settings.protocol()) + ")";
    }

    private void handOffs(StringBuilder text) {
        Histogram handOffs = measured.handOffs();
        if (handOffs.getTotalCount() > 0) {
            line(text, "hand-offs", "%d", handOffs.getTotalCount());
            line(text, "hand-off p50", "%.1f µs", handOffs.getValueAtPercentile(50) / 1e3);
            line(text, "hand-off p99", "%.1f µs", handOffs.getValueAtPercentile(99) / 1e3);
        }
    }

    private void burden(StringBuilder text) {
        Outcome.Burden burden = outcome.burden();
        if (burden == null) {
            return;
        }
        line(text, "taken in", "%.3f s", burden.nanos() / 1e9);
        if (settings.pid() != 0) {
            line(text, "memory each", "%.0f bytes", burden.bytesEach());
            line(text, "cost before", "%.3f µs per pair", burden.unburdened().serverMicrosPerPair());
            line(text, "cost ratio", "%.3f", burden.costRatio(measured));
        }
    }

    private void server(StringBuilder text) {
        if (settings.pid() != 0) {
            line(text, "server cpu", "%.3f µs per pair", measured.serverMicrosPerPair());
            line(text, "server busy", "%.1f %%", measured.serverBusy() * 100);
            line(text, "server rss", "%.1f MB", measured.residentKb() / 1024.0);
        }
    }

    private static void line(StringBuilder text, String name, String format, Object value) {
        text.append(String.format(Locale.ROOT, "%-13s ", name))
                .append(String.format(Locale.ROOT, format, value))
                .append('\n');
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    String json() {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("mode", '"' + lower(settings.mode()) + '"');
        fields.put("protocol", '"' + lower(settings.protocol()) + '"');
        fields.put("workers", String.valueOf(settings.workers()));
        fields.put("depth", String.valueOf(settings.depth()));
        fields.put("limit", String.valueOf(settings.limit()));
        fields.put("ops", String.valueOf(measured.pairs()));
        fields.put("wall_s", number(measured.wallNanos() / 1e9));
        fields.put("ops_per_s", number(measured.pairsPerSecond()));
        addHistogram(fields, "", "_ms", measured.latency(), 1e6);
        fields.put("driver_share", number(measured.driverShare()));
        if (measured.handOffs().getTotalCount() > 0) {
            fields.put("handoffs", String.valueOf(measured.handOffs().getTotalCount()));
            addHistogram(fields, "handoff_", "_us", measured.handOffs(), 1e3);
        }
        addServer(fields);
        return fields.entrySet().stream()
                .map(field -> '"' + field.getKey() + "\":" + field.getValue())
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static void addHistogram(
            Map<String, String> fields, String head, String tail, Histogram histogram, double unit) {
        fields.put(head + "mean" + tail, number(histogram.getMean() / unit));
        fields.put(head + "min" + tail, number(histogram.getMinValue() / unit));
        fields.put(head + "max" + tail, number(histogram.getMaxValue() / unit));
        fields.put(head + "p50" + tail, number(histogram.getValueAtPercentile(50) / unit));
        fields.put(head + "p99" + tail, number(histogram.getValueAtPercentile(99) / unit));
        fields.put(head + "stdev" + tail, number(histogram.getStdDeviation() / unit));
    }

    private void addServer(Map<String, String> fields) {
        Outcome.Burden burden = outcome.burden();
        if (burden != null) {
            fields.put("burden", String.valueOf(burden.count()));
            fields.put("fill_s", number(burden.nanos() / 1e9));
        }
        if (settings.pid() == 0) {
            return;
        }
        fields.put("server_us_per_pair", number(measured.serverMicrosPerPair()));
        fields.put("server_busy", number(measured.serverBusy()));
        fields.put("rss_kb", String.valueOf(measured.residentKb()));
        if (burden != null) {
            fields.put("rss_empty_kb", String.valueOf(burden.emptyKb()));
            fields.put("rss_held_kb", String.valueOf(burden.heldKb()));
            fields.put("bytes_each", number(burden.bytesEach()));
            fields.put("empty_us_per_pair", number(burden.unburdened().serverMicrosPerPair()));
            fields.put("cost_ratio", number(burden.costRatio(measured)));
        }
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }
}
