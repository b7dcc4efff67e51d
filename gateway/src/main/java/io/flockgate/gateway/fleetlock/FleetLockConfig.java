package io.flockgate.gateway.fleetlock;

import java.time.Duration;
import java.util.List;

/**
 * The settings of FleetLock, if it is served.
 *
 * @param groups each with a name of its own, in the order of their names; at least one
 * @param pathPrefix the path below which FleetLock is served too; begins with a slash and has none
 *     at its end; empty for the root only
 * @param staleAfter a member that has held its slot for longer is pointed out; zero for never
 */
public record FleetLockConfig(List<FleetLockGroup> groups, String pathPrefix, Duration staleAfter) {
    public FleetLockConfig {
        groups = List.copyOf(groups);
    }
}
