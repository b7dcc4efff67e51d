package io.flockgate.gateway.fleetlock;

import java.util.List;

/**
 * A group of machines.
 *
 * @param slots the maximum number of machines that may be away concurrently; 0 for a group that is
 *     not configured, but of which machines hold slots
 * @param windows the times at which newcomers may take slots; empty for always
 */
public record FleetLockGroup(String name, long slots, List<MaintenanceWindow> windows) {
    public FleetLockGroup {
        windows = List.copyOf(windows);
    }

    static FleetLockGroup unconfigured(String name) {
        return new FleetLockGroup(name, 0, List.of());
    }

    public boolean isConfigured() {
        return slots > 0;
    }
}
