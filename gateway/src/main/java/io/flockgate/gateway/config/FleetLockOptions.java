package io.flockgate.gateway.config;

import io.flockgate.gateway.config.FleetLockOptions.FleetLockTexts.Slots;
import io.flockgate.gateway.config.FleetLockOptions.FleetLockTexts.Window;
import io.flockgate.gateway.config.GatewayOptions.Section;
import io.flockgate.gateway.fleetlock.FleetLockConfig.FleetLockGroup;
import io.flockgate.gateway.fleetlock.MaintenanceWindow;
import io.flockgate.options.Option;
import io.flockgate.options.OptionType;
import io.flockgate.options.Rule;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** The table of FleetLock's options. */
final class FleetLockOptions {
    static final Section SECTION = new Section("FleetLock");

    static final Option<List<Slots>> GROUPS = SECTION.add(Option.of(
                    "fleetlock-groups",
                    "FLOCKGATE_FLEETLOCK_GROUPS",
                    FleetLockTexts.GROUPS,
                    "",
                    FleetLockTexts.EACH_ONCE)
            .help("Groups of machines and how many of each may reboot concurrently, as in default=1,workers=2; a"
                    + " name alone has one slot. Turns FleetLock on; needs --http-port."));
    static final Option<String> PATH_PREFIX = SECTION.add(Option.of(
                    "fleetlock-path-prefix",
                    "FLOCKGATE_FLEETLOCK_PATH_PREFIX",
                    FleetLockTexts.PREFIX,
                    "",
                    Rule.any("a path"))
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
    static final Option<List<Window>> WINDOW = SECTION.add(Option.of(
                    "fleetlock-window",
                    "FLOCKGATE_FLEETLOCK_WINDOWS",
                    FleetLockTexts.WINDOWS,
                    "",
                    Rule.any("`group=days/start/length/zone`"))
            .help("When a group grants slots, as in workers=Mon-Fri/22:00/4h/Europe/Berlin: days, start, length,"
                    + " zone (UTC without one). May be given several times; in the variable, entries are"
                    + " separated by white space. A group without a window always grants slots."));

    private FleetLockOptions() {}

    /** The syntax of FleetLock's options: groups, windows and the path prefix. */
    static final class FleetLockTexts {
        /** A roster is one document in Consul, which holds at most 512 KiB. */
        static final long MAX_SLOTS = 1_000;

        static final int MAX_GROUP_CHARACTERS = 128;

        static final OptionType<List<Slots>> GROUPS = OptionType.list(
                "groups like default=1,workers=2: letters, digits, '.' and '-', at most " + MAX_GROUP_CHARACTERS
                        + " characters, with 1 to " + MAX_SLOTS + " slots each",
                Slots::of);
        static final Rule<List<Slots>> EACH_ONCE = Rule.of(
                "`group` or `group=slots`",
                "must not name a group twice",
                groups -> groups.stream().map(Slots::group).distinct().count() == groups.size());
        static final OptionType<List<Window>> WINDOWS = OptionType.entries(
                "group=window",
                "group=days/start/length/zone, as in workers=Mon-Fri/22:00/4h/Europe/Berlin: days like Mon,Wed or Sat-Sun"
                        + " or daily, length in m or h up to a week, UTC without a zone",
                Window::of);
        static final OptionType<String> PREFIX = OptionType.alike(
                "path",
                "a path like /fleet: names of letters, digits, '_', '~', '-' and inner dots, each after a slash, the first"
                        + " none of v1, health, ready, metrics",
                FleetLockTexts::prefix);

        /** FleetLock's own rule for group names, with a bound on their length. */
        private static final Pattern GROUP = Pattern.compile("[a-zA-Z0-9.-]{1," + MAX_GROUP_CHARACTERS + "}");

        private static final Pattern SLOTS = Pattern.compile("[0-9]{1,4}");

        private static final String PATH_NAME = "[A-Za-z0-9_~-]+(?:\\.[A-Za-z0-9_~-]+)*";

        /** A prefix must not hide the REST API, so it cannot begin with one of its paths. */
        private static final Pattern PATH =
                Pattern.compile("(?!/(?:v1|health|ready|metrics)(?:/|$))(?:/" + PATH_NAME + ")+/?");

        /** One group with its slots. */
        record Slots(String group, long slots) {
            static Optional<Slots> of(String text) {
                int at = text.indexOf('=');
                String group = at < 0 ? text : text.substring(0, at);
                String slots = at < 0 ? "1" : text.substring(at + 1);
                if (!GROUP.matcher(group).matches() || !SLOTS.matcher(slots).matches()) {
                    return Optional.empty();
                }
                long count = Long.parseLong(slots);
                return count < 1 || count > MAX_SLOTS ? Optional.empty() : Optional.of(new Slots(group, count));
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
        static List<FleetLockGroup> groups(List<Slots> groups, List<Window> windows) {
            return groups.stream()
                    .sorted((one, other) -> one.group().compareTo(other.group()))
                    .map(each -> new FleetLockGroup(each.group(), each.slots(), windowsOf(each, windows)))
                    .toList();
        }

        private static List<MaintenanceWindow> windowsOf(Slots group, List<Window> windows) {
            return windows.stream()
                    .filter(window -> window.group().equals(group.group()))
                    .map(Window::window)
                    .toList();
        }
    }
}
