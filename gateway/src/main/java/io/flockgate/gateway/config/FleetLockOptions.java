package io.flockgate.gateway.config;

import io.flockgate.options.Option;
import io.flockgate.options.OptionType;
import io.flockgate.options.Rule;
import java.util.List;

/** The table of FleetLock's options. */
final class FleetLockOptions {
    static final Section SECTION = new Section("FleetLock");

    static final Option<List<String>> GROUPS = SECTION.add(Option.of(
                    "fleetlock-groups", "FLOCKGATE_FLEETLOCK_GROUPS", OptionType.LIST, "", FleetLockTexts.GROUPS)
            .help("Groups of machines and how many of each may reboot concurrently, as in default=1,workers=2; a"
                    + " name alone has one slot. Turns FleetLock on; needs --http-port."));
    static final Option<String> PATH_PREFIX = SECTION.add(Option.of(
                    "fleetlock-path-prefix",
                    "FLOCKGATE_FLEETLOCK_PATH_PREFIX",
                    OptionType.text("path"),
                    "",
                    FleetLockTexts.PREFIX)
            .help("Serves FleetLock below this path too, as in /fleet."));
    static final Option<Boolean> VOLATILE = SECTION.add(Option.onOff(
                    "fleetlock-volatile", "FLOCKGATE_FLEETLOCK_VOLATILE", "false")
            .help("Allows FleetLock on the storage memory without --data-dir: after a restart all slots are free, even"
                    + " while machines reboot."));
    static final Option<Long> STALE_AFTER = SECTION.add(Option.of(
                    "fleetlock-stale-after",
                    "FLOCKGATE_FLEETLOCK_STALE_AFTER_S",
                    OptionType.number("seconds"),
                    "3600",
                    Rule.seconds(0))
            .help("A slot held for longer is reported to operators, and its holder keeps it. 0: never."));
    static final Option<List<String>> WINDOW = SECTION.add(Option.of(
                    "fleetlock-window",
                    "FLOCKGATE_FLEETLOCK_WINDOWS",
                    OptionType.entries("group=window"),
                    "",
                    FleetLockTexts.WINDOWS)
            .help("When a group grants slots, as in workers=Mon-Fri/22:00/4h/Europe/Berlin: days, start, length,"
                    + " zone (UTC without one). May be given several times; in the variable, entries are"
                    + " separated by white space. A group without a window always grants slots."));

    private FleetLockOptions() {}
}
