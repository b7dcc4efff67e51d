package io.flockgate.gateway.config;

import io.flockgate.options.Option;
import java.util.ArrayList;
import java.util.List;

/** The text of {@code --help}: all options by section, at most {@link #WIDTH} columns wide. */
final class HelpText {
    static final int WIDTH = 100;

    private static final String INDENT = "      ";
    private static final int SECOND_COLUMN = 42;
    private static final String HEAD = """
            Usage: flockgate [serve] [flags]
                   flockgate run --key <key> [options] -- <command> [<argument>…]
                   flockgate lock <key> | ls | show <key> | release <key> <token> | renew <key> <token>
                   flockgate drain --reason <text> | undrain
                   flockgate fleetlock --help
                   flockgate health [--ready] [--pid <pid>]
                   flockgate token new [--name <name>] [--allow <right>]…

            The sub-commands are clients of a server. Each has its own --help.

            Serves locks and semaphores over dflockd's protocols, and reboot slots over FleetLock. A flag
            beats its environment variable, a variable that is not empty beats the default. Flags are
            written --name value or --name=value, switches --name or --name=false. Times are whole seconds.
            """;
    private static final String TAIL = """

            Other
              -h, --help       Print this text. Also: flockgate help.
              -v, --version    Check all settings, print the version. Also: flockgate version.

            Exit status: 0 after a signal, 1 if the start failed, 2 for an unknown sub-command, 3 if the gateway
            could not continue. A second signal ends it at once.
            """;

    private HelpText() {}

    static String render(OptionCatalogue catalogue) {
        StringBuilder out = new StringBuilder(HEAD);
        for (Section section : catalogue.sections()) {
            out.append('\n').append(section.title()).append('\n');
            section.options().forEach(option -> append(out, option));
        }
        return out.append(TAIL).toString();
    }

    private static void append(StringBuilder out, Option<?> option) {
        String flag = "  " + option.dashed() + (option.type().isSwitch() ? "" : " <" + placeholder(option) + ">");
        out.append(flag)
                .repeat(' ', Math.max(1, SECOND_COLUMN - flag.length()))
                .append(option.variable())
                .append(", default ")
                .append(option.shownDefault())
                .append('\n');
        wrap(option.help()).forEach(line -> out.append(INDENT).append(line).append('\n'));
    }

    private static String placeholder(Option<?> option) {
        return option.type().placeholder();
    }

    private static List<String> wrap(String text) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ", -1)) {
            if (!line.isEmpty() && INDENT.length() + line.length() + 1 + word.length() > WIDTH) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
