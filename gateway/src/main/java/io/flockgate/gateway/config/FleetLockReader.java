package io.flockgate.gateway.config;

import io.flockgate.gateway.fleetlock.FleetLockConfig;
import io.flockgate.gateway.fleetlock.FleetLockGroup;
import io.flockgate.options.Arguments;
import io.flockgate.options.OptionException;
import io.flockgate.text.Quoting;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Builds FleetLock's configuration from its sources. Checks the rules that concern more than one
 * option.
 */
final class FleetLockReader {
    private final Arguments sources;

    FleetLockReader(Arguments sources) {
        this.sources = sources;
    }

    /**
     * Empty when FleetLock is off.
     *
     * @param http whether there is an HTTP server
     */
    Optional<FleetLockConfig> read(StorageConfig storage, boolean http) {
        List<String> texts = sources.get(FleetLockOptions.GROUPS);
        List<String> windows = sources.get(FleetLockOptions.WINDOW);
        String prefix =
                FleetLockTexts.prefix(sources.get(FleetLockOptions.PATH_PREFIX)).orElseThrow();
        Duration staleAfter = Duration.ofSeconds(sources.get(FleetLockOptions.STALE_AFTER));
        boolean isVolatile = sources.get(FleetLockOptions.VOLATILE);
        if (texts.isEmpty()) {
            refuseOthers();
            return Optional.empty();
        }
        List<FleetLockGroup> groups = FleetLockTexts.groups(texts, windows);
        refuseWindowsOfNobody(groups, windows);
        if (!http) {
            throw new OptionException("--fleetlock-groups needs an HTTP server: set --http-port");
        }
        if (!isVolatile) {
            refuseToForget(storage);
        }
        return Optional.of(new FleetLockConfig(groups, prefix, staleAfter));
    }

    private static void refuseToForget(StorageConfig storage) {
        InstalledStorages.rosters(storage.name())
                .flatMap(rosters -> rosters.missingToSurvive(storage.options()))
                .ifPresent(missing -> {
                    throw new OptionException("--fleetlock-groups with --storage " + storage.name() + " needs "
                            + missing + ", or --fleetlock-volatile if all slots may be free after a restart");
                });
    }

    private void refuseOthers() {
        FleetLockOptions.SECTION.options().stream()
                .filter(option -> sources.onCommandLine(option).isPresent())
                .filter(option -> !option.equals(FleetLockOptions.GROUPS))
                .findFirst()
                .ifPresent(option -> {
                    throw new OptionException(option.dashed() + " has no meaning without --fleetlock-groups");
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
                    throw new OptionException("--fleetlock-window names a group that --fleetlock-groups does not: "
                            + Quoting.quoted(name));
                });
    }
}
