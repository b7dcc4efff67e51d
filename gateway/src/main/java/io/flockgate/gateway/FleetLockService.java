package io.flockgate.gateway;

import io.flockgate.gateway.fleetlock.FleetLock;
import io.flockgate.gateway.fleetlock.FleetLock.FleetLockEvents;
import io.flockgate.gateway.fleetlock.FleetLockAdmin;
import io.flockgate.gateway.fleetlock.FleetLockConfig;
import io.flockgate.gateway.fleetlock.FleetLockConfig.FleetLockGroup;
import io.flockgate.gateway.fleetlock.MaintenanceWindow.Windows;
import io.flockgate.gateway.metrics.FleetLockMeters;
import io.flockgate.gateway.metrics.GatewayMetrics;
import io.flockgate.gateway.session.ClientLimits.Admission;
import io.flockgate.roster.RosterStorage;
import java.time.InstantSource;

/** Builds the parts that serve FleetLock. */
final class FleetLockService {
    private FleetLockService() {}

    static HttpService.FleetLockParts make(
            FleetLockConfig config, RosterStorage rosters, GatewayMetrics metrics, Admission admission) {
        InstantSource clock = InstantSource.system();
        FleetLockMeters meters = metrics.fleetLock(new FleetLockMeters.RosterSources(
                config.groups().stream().map(group -> measured(group, clock)).toList(),
                rosters,
                clock,
                config.staleAfter()));
        FleetLockEvents events = new Measured(meters);
        return new HttpService.FleetLockParts(
                new FleetLock(config, rosters, clock, events, admission::isDraining),
                new FleetLockAdmin(config, rosters, clock, events),
                config.pathPrefix());
    }

    private static FleetLockMeters.Group measured(FleetLockGroup group, InstantSource clock) {
        return new FleetLockMeters.Group(
                group.name(), group.slots(), () -> Windows.open(group.windows(), clock.instant()));
    }

    private record Measured(FleetLockMeters meters) implements FleetLockEvents {
        @Override
        public void answered(String group, String operation, String outcome) {
            meters.answered(group, operation, outcome);
        }

        @Override
        public void forced() {
            meters.forced();
        }
    }
}
