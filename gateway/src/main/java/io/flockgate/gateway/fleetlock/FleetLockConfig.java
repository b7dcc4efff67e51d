package io.flockgate.gateway.fleetlock;

import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Optional;

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

    /**
     * A group of machines.
     *
     * @param slots the maximum number of machines that may be away concurrently; 0 for a group that
     *     is not configured, but of which machines hold slots
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

        /** Whether its windows let newcomers in. A pause does not count. */
        public boolean isOpen(Instant now) {
            return windows.isEmpty() || windows.stream().anyMatch(window -> window.isOpen(now));
        }

        /** The time at which the next window opens; empty for a group without windows. */
        public Optional<ZonedDateTime> nextOpening(Instant now) {
            return windows.stream()
                    .flatMap(window -> window.openings(now))
                    .min((one, other) -> one.toInstant().compareTo(other.toInstant()));
        }
    }
}
