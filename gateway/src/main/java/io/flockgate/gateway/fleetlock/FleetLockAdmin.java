package io.flockgate.gateway.fleetlock;

import io.flockgate.gateway.fleetlock.FleetLock.FleetLockEvents;
import io.flockgate.gateway.fleetlock.FleetLockConfig.FleetLockGroup;
import io.flockgate.gateway.log.Audit;
import io.flockgate.roster.Member;
import io.flockgate.roster.Roster;
import io.flockgate.roster.Roster.Departure;
import io.flockgate.roster.Roster.DepartureOutcome;
import io.flockgate.roster.Roster.DepartureOutcome.Left;
import io.flockgate.roster.Roster.DepartureOutcome.Unchanged;
import io.flockgate.roster.RosterStorage;
import io.flockgate.text.Reason;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Reports groups to operators, and carries out their orders (protocol-docs/fleetlock.md,
 * "Operators"). Each order gets an audit line with its reason. Thread safe. Futures complete on any
 * thread, and fail as those of the storage do.
 */
public final class FleetLockAdmin {
    /**
     * A group as operators see it.
     *
     * @param at the time of the report
     * @param staleAfter the configured age at which a member is stale; zero for never
     */
    public record GroupReport(FleetLockGroup group, Roster roster, Instant at, Duration staleAfter) {
        /** The time for which the member has held its slot. */
        public Duration age(Member member) {
            return member.age(at);
        }

        /** Whether the member has held its slot for longer than expected. */
        public boolean isStale(Member member) {
            return member.isStale(staleAfter, at);
        }

        /** The number of stale members. */
        public long stale() {
            return roster.stale(staleAfter, at);
        }
    }

    private final FleetLockConfig config;
    private final RosterStorage rosters;
    private final InstantSource clock;
    private final FleetLockEvents events;

    /** The groups that were left out of the configuration while machines held slots of them. */
    private volatile Set<String> unconfigured = Set.of();

    public FleetLockAdmin(FleetLockConfig config, RosterStorage rosters, InstantSource clock, FleetLockEvents events) {
        this.config = config;
        this.rosters = rosters;
        this.clock = clock;
        this.events = events;
    }

    /** Finds a group that {@link #groups} reports; null if there is none of this name. */
    public @Nullable FleetLockGroup find(String name) {
        FleetLockGroup configured = configured(name);
        return configured == null && unconfigured.contains(name) ? FleetLockGroup.unconfigured(name) : configured;
    }

    private @Nullable FleetLockGroup configured(String name) {
        return config.groups().stream()
                .filter(group -> group.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    /**
     * Reports all configured groups, in the order of their names, and then those that are not
     * configured and have members.
     */
    public Future<List<GroupReport>> groups() {
        return rosters.readAll().map(stored -> {
            List<String> others = stored.entrySet().stream()
                    .filter(each -> configured(each.getKey()) == null
                            && !each.getValue().members().isEmpty())
                    .map(Map.Entry::getKey)
                    .sorted()
                    .toList();
            unconfigured = Set.copyOf(others);
            return Stream.concat(config.groups().stream(), others.stream().map(FleetLockGroup::unconfigured))
                    .map(group -> report(group, stored.getOrDefault(group.name(), Roster.EMPTY)))
                    .toList();
        });
    }

    public Future<GroupReport> group(FleetLockGroup group) {
        return rosters.read(group.name()).map(roster -> report(group, roster));
    }

    private GroupReport report(FleetLockGroup group, Roster roster) {
        return new GroupReport(group, roster, clock.instant(), config.staleAfter());
    }

    /**
     * Takes back a member's slot.
     *
     * @param reason as given by the operator
     * @param audited the order, whose audit line must be written
     */
    public Future<DepartureOutcome> remove(
            FleetLockGroup group, Departure departure, String reason, Audit.Order audited) {
        UnaryOperator<LoggingEventBuilder> details =
                line -> order(group, reason).apply(line.addKeyValue("id", departure.id()));
        return rosters.leave(group.name(), departure)
                .onSuccess(outcome -> {
                    switch (outcome) {
                        case Left left -> {
                            events.forced();
                            audited.changed(line -> details.apply(line)
                                    .addKeyValue("fence", left.member().fence())
                                    .addKeyValue("since", left.member().since()));
                        }
                        case Unchanged unchanged ->
                            audited.unchanged(details, unchanged.name().toLowerCase(Locale.ROOT));
                    }
                })
                .onFailure(cause -> audited.failed(details, cause));
    }

    public Future<GroupReport> pause(FleetLockGroup group, String reason, Audit.Order audited) {
        return audited(audited, group, reason, rosters.pause(group.name(), reason));
    }

    public Future<GroupReport> resume(FleetLockGroup group, String reason, Audit.Order audited) {
        return audited(audited, group, reason, rosters.resume(group.name()));
    }

    private Future<GroupReport> audited(
            Audit.Order audited, FleetLockGroup group, String reason, Future<Roster> changed) {
        return changed.onSuccess(ignored -> audited.changed(order(group, reason)))
                .onFailure(cause -> audited.failed(order(group, reason), cause))
                .map(roster -> report(group, roster));
    }

    private static UnaryOperator<LoggingEventBuilder> order(FleetLockGroup group, String reason) {
        return line -> line.addKeyValue("group", group.name()).addKeyValue("reason", reason);
    }

    /**
     * Warns of slots that an operator should look at, once each: those of a group that is not
     * configured, and those that are held for longer than expected. Thread safe.
     */
    public static final class FleetLockWatch {
        /** The time between two checks. */
        public static final long PERIOD_MILLIS = 60_000;

        private static final Logger LOG = LoggerFactory.getLogger(FleetLockWatch.class);

        private final FleetLockAdmin admin;

        /** The warnings of the last check. */
        private Set<Object> warned = Set.of();

        /** A slot that was reported as stale. */
        private record Stale(String group, long fence) {}

        public FleetLockWatch(FleetLockAdmin admin) {
            this.admin = admin;
        }

        /** Reads all groups, and logs what has changed since the last check. */
        public Future<Void> check() {
            return admin.groups()
                    .onSuccess(this::warn)
                    .onFailure(cause ->
                            LOG.atDebug().addKeyValue("err", Reason.of(cause)).log("fleetlock groups not read"))
                    .<Void>mapEmpty()
                    .otherwiseEmpty();
        }

        private synchronized void warn(List<GroupReport> reports) {
            Set<Object> now = new HashSet<>();
            for (GroupReport report : reports) {
                String group = report.group().name();
                if (!report.group().isConfigured() && now.add(group) && !warned.contains(group)) {
                    LOG.atWarn()
                            .addKeyValue("group", group)
                            .addKeyValue("held", report.roster().members().size())
                            .log("machines hold slots of a fleetlock group that is not configured");
                }
                for (Member member : report.roster().members().values()) {
                    if (report.isStale(member)) {
                        warn(group, member, now);
                    }
                }
            }
            warned = now;
        }

        private void warn(String group, Member member, Set<Object> now) {
            Stale stale = new Stale(group, member.fence());
            boolean unused = now.add(stale);
            if (!warned.contains(stale)) {
                LOG.atWarn()
                        .addKeyValue("group", group)
                        .addKeyValue("id", member.id())
                        .addKeyValue("since", member.since())
                        .log("a fleetlock slot is stale");
            }
        }
    }
}
