package io.flockgate.cluster.campaign;

import io.flockgate.cluster.Seconds;
import io.flockgate.cluster.campaign.Call.Action;
import io.flockgate.cluster.campaign.Disturbance.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The figures of a history, as a table for people. */
final class Figures {
    private final History history;
    private final List<String> lines = new ArrayList<>();

    private Figures(History history) {
        this.history = history;
    }

    static String of(History history, double seconds) {
        Figures figures = new Figures(history);
        figures.calls(seconds);
        figures.faults();
        figures.keys();
        return String.join("\n", figures.lines);
    }

    private void row(String name, String value) {
        lines.add("| %-34s | %10s |".formatted(name, value));
    }

    private void row(String name, long value) {
        row(name, Long.toString(value));
    }

    private void calls(double seconds) {
        row("seconds", "%.0f".formatted(seconds));
        row("attempts", history.attempts().size());
        row(
                "grants",
                history.attempts().stream()
                        .filter(each -> each.grant().isPresent())
                        .count());
        row(
                "renewals",
                history.attempts().stream()
                        .flatMap(each -> each.calls().stream())
                        .filter(each -> each.action() == Action.RENEW && each.answer() == Answer.OK)
                        .count());
    }

    private void faults() {
        Map<Kind, List<Disturbance>> byKind =
                new TreeMap<>(history.disturbances().stream().collect(Collectors.groupingBy(Disturbance::kind)));
        byKind.forEach((kind, each) -> row(
                "fault " + kind,
                "%d, %.0f s"
                        .formatted(
                                each.size(),
                                Seconds.of(each.stream()
                                        .mapToLong(d -> d.to() - d.from())
                                        .sum()))));
        row("sessions lost", history.losses().size());
    }

    private void keys() {
        Map<String, List<Attempt>> byKey =
                new TreeMap<>(history.attempts().stream().collect(Collectors.groupingBy(Attempt::key)));
        byKey.forEach((key, each) -> {
            row(
                    key + ": worst gap with waiters",
                    GapCheck.worst(each)
                            .map(gap -> "%.1f s".formatted(Seconds.of(gap.nanos())))
                            .orElse("none"));
            row(key + ": overtaken, excused", OrderCheck.excused(each, history));
        });
    }
}
