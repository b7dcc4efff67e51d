package io.flockgate.gateway.fleetlock;

import java.time.Duration;
import java.util.List;

/**
 * The settings of FleetLock, if it is served.
 *
 * @param groups at least one, with different names, in the order of their names
 * @param pathPrefix a path below which FleetLock is also served, with a leading slash and without a
 *     trailing one; empty for the root only
 * @param staleAfter a member that has held its slot for longer is reported as stale; zero for never
 */
public record FleetLockConfig(List<FleetLockGroup> groups, String pathPrefix, Duration staleAfter) {
    public FleetLockConfig {
        groups = List.copyOf(groups);
    }
}
