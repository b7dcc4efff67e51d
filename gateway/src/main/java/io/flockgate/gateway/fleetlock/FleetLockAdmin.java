package io.flockgate.gateway.fleetlock;

import io.flockgate.roster.Departure;
import io.flockgate.roster.DepartureOutcome;
import io.flockgate.roster.DepartureOutcome.Left;
import io.flockgate.roster.Member;
import io.flockgate.roster.Roster;
import io.flockgate.roster.RosterStorage;
import io.vertx.core.Future;
import io.vertx.core.net.SocketAddress;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports groups to operators, and carries out their orders (protocol-docs/fleetlock.md, "Operators"). Logs each order with its reason. Thread
 * safe. Futures complete on any thread, and fail as those of the storage do.
 */
public final class FleetLockAdmin {
    private static final Logger LOG = LoggerFactory.getLogger(FleetLockAdmin.class);

    private final FleetLockConfig config;
    private final RosterStorage rosters;
    private final InstantSource clock;
    private final FleetLockEvents events;

    public FleetLockAdmin(FleetLockConfig config, RosterStorage rosters, InstantSource clock, FleetLockEvents events) {
        this.config = config;
        this.rosters = rosters;
        this.clock = clock;
        this.events = events;
    }

    /** Finds a configured group. */
    public Optional<FleetLockGroup> find(String name) {
        return config.groups().stream()
                .filter(group -> group.name().equals(name))
                .findFirst();
    }

    /** Reports all configured groups, in the order of their names. */
    public Future<List<GroupReport>> groups() {
        List<Future<GroupReport>> reports =
                config.groups().stream().map(this::group).toList();
        return Future.all(reports).map(all -> all.list());
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
     * @param reason the operator's words
     * @param peer the address and port from which the order comes
     */
    public Future<DepartureOutcome> remove(
            FleetLockGroup group, Departure departure, String reason, SocketAddress peer) {
        return rosters.leave(group.name(), departure).onSuccess(outcome -> {
            if (outcome instanceof Left left) {
                events.forced();
                Member member = left.member();
                LOG.atWarn()
                        .addKeyValue("group", group.name())
                        .addKeyValue("id", member.id())
                        .addKeyValue("fence", member.fence())
                        .addKeyValue("since", member.since())
                        .addKeyValue("peer", peer)
                        .addKeyValue("reason", reason)
                        .log("fleetlock slot taken back by an operator");
            }
        });
    }

    public Future<GroupReport> pause(FleetLockGroup group, String reason, SocketAddress peer) {
        return rosters.pause(group.name(), reason)
                .onSuccess(ignored -> logOrder("fleetlock group paused by an operator", group, reason, peer))
                .map(roster -> report(group, roster));
    }

    public Future<GroupReport> resume(FleetLockGroup group, String reason, SocketAddress peer) {
        return rosters.resume(group.name())
                .onSuccess(ignored -> logOrder("fleetlock group resumed by an operator", group, reason, peer))
                .map(roster -> report(group, roster));
    }

    private static void logOrder(String what, FleetLockGroup group, String reason, SocketAddress peer) {
        LOG.atWarn()
                .addKeyValue("group", group.name())
                .addKeyValue("peer", peer)
                .addKeyValue("reason", reason)
                .log(what);
    }
}
