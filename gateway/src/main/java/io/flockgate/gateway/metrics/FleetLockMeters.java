package io.flockgate.gateway.metrics;

import io.flockgate.roster.Roster;
import io.flockgate.roster.RosterStorage;
import io.flockgate.text.Reason;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleBiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The meters of FleetLock. Rosters are read at each scrape. A gauge whose roster cannot be read is
 * NaN. Thread safe.
 */
public final class FleetLockMeters {
    private static final Logger LOG = LoggerFactory.getLogger(FleetLockMeters.class);
    private static final double MILLIS_PER_SECOND = 1e3;

    private final Meters meters;
    private final RosterSources sources;
    private final Counter forced;
    private final Counter errors;
    private final Map<String, Roster> rosters = new ConcurrentHashMap<>();

    /** A configured group, and whether its windows are open. */
    public record Group(String name, long slots, BooleanSupplier open) {}

    /**
     * The sources of the gauges' values.
     *
     * @param staleAfter zero for never
     */
    public record RosterSources(List<Group> groups, RosterStorage rosters, InstantSource clock, Duration staleAfter) {
        public RosterSources {
            groups = List.copyOf(groups);
        }
    }

    FleetLockMeters(Meters meters, RosterSources sources) {
        this.meters = meters;
        this.sources = sources;
        this.forced = meters.counter("flockgate.fleetlock.force.unlocks", "Slots taken back by operators.");
        this.errors = meters.counter(
                "flockgate.fleetlock.backend.errors", "FleetLock requests that the storage could not carry out.");
        meters.gauge(
                "flockgate.fleetlock.writable",
                "1 when rosters can be kept as far as the storage knows, 0 when they cannot.",
                () -> sources.rosters().failureReason().isEmpty() ? 1 : 0);
        meters.count(
                "flockgate.fleetlock.cas.retries",
                "Changes of rosters that conflicted with another one and were tried again.",
                sources.rosters()::retries);
        sources.groups().forEach(this::register);
    }

    private void register(Group group) {
        gauge(group, "slots", "Slots of the group.", group::slots);
        gauge(
                group,
                "window.open",
                "1 when the group's windows let newcomers in.",
                () -> group.open().getAsBoolean() ? 1 : 0);
        ofRoster(
                group,
                "held",
                "Slots that are taken.",
                (roster, now) -> roster.members().size());
        ofRoster(
                group,
                "paused",
                "1 when an operator has paused the group.",
                (roster, now) -> roster.pause().isPresent() ? 1 : 0);
        ofRoster(group, "oldest.hold.seconds", "Age of the oldest hold.", FleetLockMeters::oldestSeconds);
        ofRoster(
                group,
                "stale.holders",
                "Holders for longer than --fleetlock-stale-after.",
                (roster, now) -> roster.stale(sources.staleAfter(), now));
    }

    private void gauge(Group group, String name, String description, Supplier<Number> value) {
        meters.gauge("flockgate.fleetlock." + name, description, value, "group", group.name());
    }

    private void ofRoster(Group group, String name, String description, ToDoubleBiFunction<Roster, Instant> value) {
        gauge(group, name, description, () -> {
            Roster roster = rosters.get(group.name());
            return roster == null
                    ? Double.NaN
                    : value.applyAsDouble(roster, sources.clock().instant());
        });
    }

    private static double oldestSeconds(Roster roster, Instant at) {
        return roster.members().values().stream()
                        .mapToLong(member -> member.age(at).toMillis())
                        .max()
                        .orElse(0)
                / MILLIS_PER_SECOND;
    }

    /** Reads all rosters again. Never fails. */
    Future<Void> read() {
        return Future.join(sources.groups().stream().map(this::read).toList()).mapEmpty();
    }

    private Future<Void> read(Group group) {
        return sources.rosters()
                .read(group.name())
                .onSuccess(roster -> rosters.put(group.name(), roster))
                .onFailure(cause -> {
                    Roster unused = rosters.remove(group.name());
                    LOG.atDebug().addKeyValue("err", Reason.of(cause)).log("roster not read for metrics");
                })
                .otherwiseEmpty()
                .mapEmpty();
    }

    /**
     * Counts a request that has been answered.
     *
     * @param group a configured group, or one common word for all others
     */
    public void answered(String group, String operation, String outcome) {
        meters.counter(
                        "flockgate.fleetlock.requests",
                        "FleetLock requests, by what was answered.",
                        "group",
                        group,
                        "operation",
                        operation,
                        "outcome",
                        outcome)
                .increment();
        if (outcome.equals("backend_unavailable")) {
            errors.increment();
        }
    }

    /** Counts a slot that an operator has taken back. */
    public void forced() {
        forced.increment();
    }
}
