package io.flockgate.gateway.fleetlock;

import java.time.Duration;
import java.util.List;

/**
 * FleetLock, where it is served.
 *
 * @param groups each with a name of its own, in the order of their names; at least one
 * @param pathPrefix the path below which FleetLock is served as well as at the root; begins with a slash and does not end with
 *     one; empty for none
 * @param staleAfter a member that has held its slot for longer is pointed out; zero for never
 */
public record FleetLockConfig(List<FleetLockGroup> groups, String pathPrefix, Duration staleAfter) {
    public FleetLockConfig {
        groups = List.copyOf(groups);
    }
}
