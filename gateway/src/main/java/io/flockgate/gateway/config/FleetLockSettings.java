package io.flockgate.gateway.config;

import java.util.List;

/** The part of the table of settings that concerns FleetLock. */
final class FleetLockSettings {
    static final Setting<List<String>> GROUPS = Setting.of(
            "fleetlock-groups",
            "FLOCKGATE_FLEETLOCK_GROUPS",
            Kind.LIST,
            "",
            FleetLockTexts.GROUPS,
            Group.FLEETLOCK,
            "Groups of machines and how many of each may reboot at a time, as in default=1,workers=2; a name alone has"
                    + " one slot. Turns FleetLock on; needs --http-port.");
    static final Setting<String> PATH_PREFIX = Setting.of(
            "fleetlock-path-prefix",
            "FLOCKGATE_FLEETLOCK_PATH_PREFIX",
            Kind.text("path"),
            "",
            FleetLockTexts.PREFIX,
            Group.FLEETLOCK,
            "Serves FleetLock below this path too, as in /fleet.");
    static final Setting<Boolean> VOLATILE = Setting.of(
            "fleetlock-volatile",
            "FLOCKGATE_FLEETLOCK_VOLATILE",
            Kind.SWITCH,
            "false",
            Rule.any("true or false"),
            Group.FLEETLOCK,
            "Allows FleetLock on the storage memory without --data-dir: after a restart all slots are free, whoever is"
                    + " rebooting.");
    static final Setting<Long> STALE_AFTER = Setting.of(
            "fleetlock-stale-after",
            "FLOCKGATE_FLEETLOCK_STALE_AFTER_S",
            Kind.number("seconds"),
            "3600",
            Rule.seconds(0),
            Group.FLEETLOCK,
            "A slot that is held for longer is pointed out to operators; nobody loses it by that. 0: never.");
    static final Setting<List<String>> WINDOW = Setting.of(
            "fleetlock-window",
            "FLOCKGATE_FLEETLOCK_WINDOWS",
            Kind.entries("group=window"),
            "",
            FleetLockTexts.WINDOWS,
            Group.FLEETLOCK,
            "When a group gives out slots, as in workers=Mon-Fri/22:00/4h/Europe/Berlin: days, start, length, zone (UTC"
                    + " without one). May be given several times; in the variable, entries are parted by white space. A"
                    + " group without a window always does.");

    static final List<Setting<?>> ALL = List.of(GROUPS, PATH_PREFIX, VOLATILE, STALE_AFTER, WINDOW);

    private FleetLockSettings() {}
}
