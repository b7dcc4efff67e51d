package io.flockgate.gateway.command;

import io.flockgate.text.Quoting;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import joptsimple.OptionException;
import joptsimple.OptionParser;
import joptsimple.OptionSet;

/**
 * The arguments of {@code flockgate fleetlock}.
 *
 * @param words those that are no flags
 * @param environment all variables by name
 */
record FleetLockArguments(List<String> words, OptionSet flags, Map<String, String> environment) {
    static final String USAGE = """
            Usage: flockgate fleetlock ls [<group>]
                   flockgate fleetlock unlock <group> <id> --reason <text> [--fence <number>]
                   flockgate fleetlock pause <group> --reason <text>
                   flockgate fleetlock resume <group> [--reason <text>]
                   flockgate fleetlock id [<machine-id>]

            Shows who may reboot, takes the slot of a machine back that does not come back, stops a group
            from giving out slots. id tells the id by which Zincati names a machine: this one, or the one
            of that machine id.

              --url <url>                 FLOCKGATE_URL, default http://127.0.0.1:6389
                  A gateway, with its scheme and port.
              --auth-token-file <file>    DFLOCKD_AUTH_TOKEN_FILE, default unset
                  File that holds the gateway's token.
              --auth-token <token>        DFLOCKD_AUTH_TOKEN, default unset
                  The token itself. As a flag it can be read in the process list: prefer the file.
              --ca-file <file>            FLOCKGATE_CA_FILE, default unset
                  Certificates of the authorities to trust for https, PEM, instead of Java's own.
              --reason <text>             Why; goes to the log of the gateway.
              --fence <number>            unlock only: the holder must still have this fence, as ls shows it.
              --json                      Print what the gateway answers.
              -h, --help                  Print this text.
            """;

    private static final List<String> TEXTS =
            List.of("url", "auth-token-file", "auth-token", "ca-file", "reason", "fence");

    /** @throws CommandException for an unknown flag, or a flag without its value */
    static FleetLockArguments of(List<String> args, Map<String, String> environment) {
        OptionParser parser = new OptionParser(false);
        TEXTS.forEach(name -> parser.accepts(name).withRequiredArg());
        parser.accepts("json");
        parser.acceptsAll(List.of("help", "h"));
        try {
            OptionSet flags = parser.parse(args.toArray(String[]::new));
            List<String> words =
                    flags.nonOptionArguments().stream().map(String::valueOf).toList();
            return new FleetLockArguments(words, flags, environment);
        } catch (OptionException e) {
            throw CommandException.usage(
                    "cannot read " + Quoting.quoted(String.valueOf(e.options().getFirst())) + " (see --help)");
        }
    }

    boolean has(String flag) {
        return flags.has(flag);
    }

    /** The last value of a flag. */
    Optional<String> flag(String name) {
        return flags.valuesOf(name).stream().map(String::valueOf).reduce((first, last) -> last);
    }

    /** The value of a flag, or else of a variable that is not empty. */
    Optional<String> setting(String flag, String variable) {
        return flag(flag)
                .or(() -> Optional.ofNullable(environment.get(variable)).filter(text -> !text.isEmpty()));
    }

    /** The word at this index. */
    String word(int index, String what) {
        if (words.size() <= index) {
            throw CommandException.usage(what + " is missing (see --help)");
        }
        return words.get(index);
    }

    /** @throws CommandException for more words than these */
    void atMost(int count) {
        if (words.size() > count) {
            throw CommandException.usage("unexpected word " + Quoting.quoted(words.get(count)) + " (see --help)");
        }
    }
}
