package io.flockgate.gateway.config;

import io.flockgate.gateway.log.Quoting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Makes FleetLock's configuration out of its sources, and checks what concerns more than one setting. */
final class FleetLockReader {
    private final Sources sources;

    FleetLockReader(Sources sources) {
        this.sources = sources;
    }

    /**
     * Empty when FleetLock is off.
     *
     * @param http whether there is an HTTP server
     */
    Optional<FleetLockConfig> read(StorageConfig storage, boolean http, String nodeName) {
        List<String> texts = sources.get(FleetLockSettings.GROUPS);
        List<String> windows = sources.get(FleetLockSettings.WINDOW);
        String prefix = FleetLockTexts.prefix(sources.get(FleetLockSettings.PATH_PREFIX))
                .orElseThrow();
        Duration staleAfter = Duration.ofSeconds(sources.get(FleetLockSettings.STALE_AFTER));
        Optional<Path> dataDir = sources.get(Settings.DATA_DIR);
        boolean isVolatile = sources.get(FleetLockSettings.VOLATILE);
        if (texts.isEmpty()) {
            refuseOthers();
            return Optional.empty();
        }
        List<FleetLockGroup> groups = FleetLockTexts.groups(texts, windows);
        refuseWindowsOfNobody(groups, windows);
        if (!http) {
            throw new ConfigException("--fleetlock-groups needs an HTTP server: set --http-port");
        }
        boolean memory = storage.name().equals(Settings.STORAGE.fallback());
        if (memory && dataDir.isEmpty() && !isVolatile) {
            throw new ConfigException(
                    "--fleetlock-groups with --storage memory needs --data-dir, or --fleetlock-volatile"
                            + " if all slots may be free after a restart");
        }
        return Optional.of(new FleetLockConfig(groups, prefix, staleAfter, dataDir, nodeName));
    }

    private void refuseOthers() {
        FleetLockSettings.ALL.stream()
                .filter(setting -> sources.onCommandLine(setting).isPresent())
                .filter(setting -> !setting.equals(FleetLockSettings.GROUPS))
                .findFirst()
                .ifPresent(setting -> {
                    throw new ConfigException(setting.dashed() + " has no meaning without --fleetlock-groups");
                });
    }

    private static void refuseWindowsOfNobody(List<FleetLockGroup> groups, List<String> windows) {
        windows.stream()
                .map(FleetLockTexts.Window::of)
                .flatMap(Optional::stream)
                .map(FleetLockTexts.Window::group)
                .filter(name -> groups.stream().noneMatch(group -> group.name().equals(name)))
                .findFirst()
                .ifPresent(name -> {
                    throw new ConfigException("--fleetlock-window names a group that --fleetlock-groups does not: "
                            + Quoting.quoted(name));
                });
    }
}
