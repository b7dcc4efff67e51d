package io.flockgate.gateway.config;

import io.flockgate.gateway.config.GatewayOptions.Section;
import io.flockgate.gateway.fleetlock.FleetLockConfig.FleetLockGroup;
import io.flockgate.gateway.fleetlock.MaintenanceWindow;
import io.flockgate.options.Option;
import io.flockgate.options.OptionType;
import io.flockgate.options.Rule;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

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

    /** The syntax of FleetLock's options: groups, windows and the path prefix. */
    static final class FleetLockTexts {
        /** A roster is one document in Consul, which holds at most 512 KiB. */
        static final long MAX_SLOTS = 1_000;

        static final int MAX_GROUP_CHARACTERS = 128;

        static final Rule<List<String>> GROUPS =
                new Rule<>("`group` or `group=slots`", FleetLockTexts::groupsViolation);
        static final Rule<List<String>> WINDOWS = Rule.of(
                "`group=days/start/length/zone`",
                "must be group=days/start/length/zone, as in workers=Mon-Fri/22:00/4h/Europe/Berlin: days like Mon,Wed or"
                        + " Sat-Sun or daily, length in m or h up to a week, UTC without a zone",
                texts -> texts.stream().allMatch(text -> Window.of(text).isPresent()));
        static final Rule<String> PREFIX = Rule.of(
                "a path",
                "must be a path like /fleet: names of letters, digits, '_', '~', '-' and inner dots, each after a slash,"
                        + " the first none of v1, health, ready, metrics",
                text -> prefix(text).isPresent());

        /** FleetLock's own rule for group names, with a bound on their length. */
        private static final Pattern GROUP = Pattern.compile("[a-zA-Z0-9.-]{1," + MAX_GROUP_CHARACTERS + "}");

        private static final Pattern SLOTS = Pattern.compile("[0-9]{1,4}");

        private static final String PATH_NAME = "[A-Za-z0-9_~-]+(?:\\.[A-Za-z0-9_~-]+)*";

        /** A prefix must not hide the REST API, so it cannot begin with one of its paths. */
        private static final Pattern PATH =
                Pattern.compile("(?!/(?:v1|health|ready|metrics)(?:/|$))(?:/" + PATH_NAME + ")+/?");

        /** One group with its slots, whose number is not checked yet. */
        record Slots(String group, long slots) {
            static Optional<Slots> of(String text) {
                int at = text.indexOf('=');
                String group = at < 0 ? text : text.substring(0, at);
                String slots = at < 0 ? "1" : text.substring(at + 1);
                boolean wellFormed =
                        GROUP.matcher(group).matches() && SLOTS.matcher(slots).matches();
                return wellFormed ? Optional.of(new Slots(group, Long.parseLong(slots))) : Optional.empty();
            }
        }

        /** One window of a group. */
        record Window(String group, MaintenanceWindow window) {
            static Optional<Window> of(String text) {
                int at = text.indexOf('=');
                return at < 0
                        ? Optional.empty()
                        : MaintenanceWindow.parse(text.substring(at + 1))
                                .map(window -> new Window(text.substring(0, at), window));
            }
        }

        private FleetLockTexts() {}

        private static Optional<String> groupsViolation(List<String> texts) {
            Set<String> seen = new HashSet<>();
            for (String text : texts) {
                Optional<Slots> slots = Slots.of(text);
                if (slots.isEmpty()) {
                    return Optional.of("must be groups like default=1,workers=2: letters, digits, '.' and '-', at most "
                            + MAX_GROUP_CHARACTERS + " characters");
                }
                if (slots.get().slots() < 1 || slots.get().slots() > MAX_SLOTS) {
                    return Optional.of("must give each group between 1 and " + MAX_SLOTS + " slots");
                }
                if (!seen.add(slots.get().group())) {
                    return Optional.of("must not name a group twice");
                }
            }
            return Optional.empty();
        }

        /**
         * The prefix without a trailing slash; an empty text means no prefix. Empty if the text is
         * not a path.
         */
        static Optional<String> prefix(String text) {
            if (text.isEmpty()) {
                return Optional.of("");
            }
            boolean wellFormed = PATH.matcher(text).matches() && text.length() <= 256;
            return wellFormed
                    ? Optional.of(text.endsWith("/") ? text.substring(0, text.length() - 1) : text)
                    : Optional.empty();
        }

        /** The groups in the order of their names, each with its windows. */
        static List<FleetLockGroup> groups(List<String> groups, List<String> windows) {
            List<Window> all =
                    windows.stream().map(Window::of).flatMap(Optional::stream).toList();
            List<FleetLockGroup> made = new ArrayList<>();
            groups.stream()
                    .map(Slots::of)
                    .flatMap(Optional::stream)
                    .sorted((one, other) -> one.group().compareTo(other.group()))
                    .forEach(
                            slots -> made.add(new FleetLockGroup(slots.group(), slots.slots(), windowsOf(slots, all))));
            return made;
        }

        private static List<MaintenanceWindow> windowsOf(Slots group, List<Window> windows) {
            return windows.stream()
                    .filter(window -> window.group().equals(group.group()))
                    .map(Window::window)
                    .toList();
        }
    }
}
