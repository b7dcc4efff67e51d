package io.flockgate.gateway.fleetlock;

import java.util.List;

/**
 * A group of machines.
 *
 * @param slots how many of them may be away at a time, at least 1
 * @param windows when newcomers may take slots; empty for always
 */
public record FleetLockGroup(String name, long slots, List<MaintenanceWindow> windows) {
    public FleetLockGroup {
        windows = List.copyOf(windows);
    }
}
