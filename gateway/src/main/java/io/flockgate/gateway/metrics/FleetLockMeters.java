package io.flockgate.gateway.metrics;

import io.flockgate.gateway.fleetlock.FleetLock.FleetLockEvents;
import io.flockgate.gateway.fleetlock.FleetLockConfig;
import io.flockgate.gateway.fleetlock.FleetLockConfig.FleetLockGroup;
import io.flockgate.roster.Roster;
import io.flockgate.roster.RosterStorage;
import io.flockgate.text.Reason;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.Future;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.ToDoubleBiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The meters of FleetLock. Rosters are read at each scrape. A gauge whose roster cannot be read is
 * NaN. Thread safe.
 */
public final class FleetLockMeters implements FleetLockEvents {
    private static final Logger LOG = LoggerFactory.getLogger(FleetLockMeters.class);
    private static final double MILLIS_PER_SECOND = 1e3;

    private final Meters meters;
    private final FleetLockConfig config;
    private final RosterStorage storage;
    private final InstantSource clock;
    private final Counter forced;
    private final Counter errors;
    private final Map<String, Roster> rosters = new ConcurrentHashMap<>();

    FleetLockMeters(Meters meters, FleetLockConfig config, RosterStorage storage, InstantSource clock) {
        this.meters = meters;
        this.config = config;
        this.storage = storage;
        this.clock = clock;
        this.forced = meters.counter("flockgate.fleetlock.force.unlocks", "Slots taken back by operators.");
        this.errors = meters.counter(
                "flockgate.fleetlock.backend.errors", "FleetLock requests that the storage could not carry out.");
        meters.gauge(
                "flockgate.fleetlock.writable",
                "1 when rosters can be kept as far as the storage knows, 0 when they cannot.",
                () -> storage.failureReason().isEmpty() ? 1 : 0);
        meters.count(
                "flockgate.fleetlock.cas.retries",
                "Changes of rosters that conflicted with another one and were tried again.",
                storage::retries);
        config.groups().forEach(this::register);
    }

    private void register(FleetLockGroup group) {
        gauge(group, "slots", "Slots of the group.", group::slots);
        gauge(
                group,
                "window.open",
                "1 when the group's windows let newcomers in.",
                () -> group.isOpen(clock.instant()) ? 1 : 0);
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
                (roster, now) -> roster.stale(config.staleAfter(), now));
    }

    private void gauge(FleetLockGroup group, String name, String description, Supplier<Number> value) {
        meters.gauge("flockgate.fleetlock." + name, description, value, "group", group.name());
    }

    private void ofRoster(
            FleetLockGroup group, String name, String description, ToDoubleBiFunction<Roster, Instant> value) {
        gauge(group, name, description, () -> {
            Roster roster = rosters.get(group.name());
            return roster == null ? Double.NaN : value.applyAsDouble(roster, clock.instant());
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
        return Future.join(config.groups().stream().map(this::read).toList()).mapEmpty();
    }

    private Future<Void> read(FleetLockGroup group) {
        return storage.read(group.name())
                .onSuccess(roster -> rosters.put(group.name(), roster))
                .onFailure(cause -> {
                    Roster unused = rosters.remove(group.name());
                    LOG.atDebug().addKeyValue("err", Reason.of(cause)).log("roster not read for metrics");
                })
                .otherwiseEmpty()
                .mapEmpty();
    }

    @Override
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

    @Override
    public void forced() {
        forced.increment();
    }
}
