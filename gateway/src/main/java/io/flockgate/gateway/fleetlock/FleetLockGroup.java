package io.flockgate.gateway.fleetlock;

import java.util.List;

/**
 * A group of machines.
 *
 * @param slots the maximum number of machines that may be away concurrently, at least 1
 * @param windows the times at which newcomers may take slots; empty for always
 */
public record FleetLockGroup(String name, long slots, List<MaintenanceWindow> windows) {
    public FleetLockGroup {
        windows = List.copyOf(windows);
    }
}
