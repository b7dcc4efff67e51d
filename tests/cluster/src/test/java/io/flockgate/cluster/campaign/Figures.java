package io.flockgate.cluster.campaign;

import io.flockgate.cluster.Seconds;
import io.flockgate.cluster.campaign.Call.Action;
import io.flockgate.cluster.campaign.Disturbance.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
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

    private long attempts(Predicate<Attempt> wanted) {
        return history.attempts().stream().filter(wanted).count();
    }

    private long calls(Predicate<Call> wanted) {
        return history.attempts().stream()
                .flatMap(each -> each.calls().stream())
                .filter(wanted)
                .count();
    }

    private void calls(double seconds) {
        row("seconds", "%.0f".formatted(seconds));
        row("attempts", history.attempts().size());
        long grants = attempts(each -> each.grant().isPresent());
        row("grants", grants);
        row("grants a second", "%.1f".formatted(grants / seconds));
        row(
                "of them after queueing, two-phase",
                attempts(each -> each.queued().isPresent() && each.grant().isPresent()));
        row("grants renewed elsewhere after a kill", attempts(Figures::isTakenOver));
        row("slots certainly held", attempts(each -> !Holding.of(each, history).isEmpty()));
        row("waits that timed out", calls(each -> each.answer() == Answer.TIMEOUT));
        row("renewals", calls(each -> each.action() == Action.RENEW && each.answer() == Answer.OK));
        row("releases", calls(each -> each.action() == Action.RELEASE && each.answer() == Answer.OK));
        row(
                "releases through another gateway",
                attempts(each -> each.calls().stream()
                        .anyMatch(call -> call.action() == Action.RELEASE
                                && call.gateway() != each.gateway()
                                && call.answer() == Answer.OK)));
        row("slots left to lease or connection", attempts(Figures::isLeft));
        row(
                "errors",
                calls(each -> each.answer() == Answer.ERROR
                        && each.action() != Action.RENEW
                        && each.action() != Action.RELEASE));
        row(
                "renewals and releases refused",
                calls(each -> each.answer() == Answer.ERROR
                        && (each.action() == Action.RENEW || each.action() == Action.RELEASE)));
        row("requests without an answer", calls(each -> each.answer() == Answer.NONE));
    }

    private static boolean isTakenOver(Attempt attempt) {
        return attempt.broken() != Long.MAX_VALUE
                && attempt.calls().stream()
                        .anyMatch(each -> each.action() == Action.RENEW
                                && each.gateway() != attempt.gateway()
                                && each.got() > attempt.broken()
                                && each.answer() == Answer.OK);
    }

    private static boolean isLeft(Attempt attempt) {
        return attempt.grant().isPresent()
                && attempt.calls().stream()
                        .noneMatch(each -> each.action() == Action.RELEASE && each.answer() == Answer.OK);
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
        row("gateways on one agent", Topology.SHARING.size());
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
        history.last()
                .forEach(each -> row(
                        each.key() + ": acquired in full at the end", "%.2f s".formatted(Seconds.of(each.nanos()))));
    }
}
