package io.flockgate.gateway.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * FleetLock, where it is served.
 *
 * @param groups each with a name of its own, in the order of their names; at least one
 * @param pathPrefix the path below which FleetLock is served as well as at the root; begins with a slash and does not end with
 *     one; empty for none
 * @param staleAfter a member that has held its slot for longer is pointed out; zero for never
 * @param dataDir where the memory storage keeps rosters; empty to keep them in the process only
 * @param nodeName this gateway
 */
public record FleetLockConfig(
        List<FleetLockGroup> groups, String pathPrefix, Duration staleAfter, Optional<Path> dataDir, String nodeName) {
    public FleetLockConfig {
        groups = List.copyOf(groups);
    }
}
