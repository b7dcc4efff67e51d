package io.flockgate.cli.run;

import io.flockgate.cli.shared.CommandArguments;
import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.CommandSyntax;
import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.cli.shared.Servers;
import io.flockgate.text.Quoting;
import java.util.List;

/**
 * The options of {@code flockgate run}.
 *
 * @param command the program and its arguments
 * @param lostStatus the exit status after a loss
 * @param notAcquiredStatus the exit status if others hold the key
 */
record RunOptions(
        List<String> command,
        ConnectionOptions connection,
        ClaimOptions claim,
        OnLoss onLoss,
        int lostStatus,
        int notAcquiredStatus,
        Notices.Style style) {
    static final CommandSyntax SYNTAX = CommandSyntax.connecting(
            "run",
            List.of("key", "limit", "wait", "lease", "grace", "name", "on-loss", "lost-status", "not-acquired-status"),
            List.of("quiet", "json"));

    static final String HELP = """
            Usage: flockgate run --key <key> [options] -- <command> [<argument>…]

            Runs a command while holding a key, and exits with the command's status. If the lease is lost,
            the command is ended before another client can take the key.

              --key <key>                 1 to 200 printable ASCII characters without blanks.
            """ + ClaimOptions.USAGE + """
              --on-loss <what>            default kill
                  If the lease is lost: kill (TERM, then KILL after --grace, to the command and its
                  descendants), term (TERM, never KILL), or ignore (the command continues).
              --grace <time>              default a sixth of the lease, at most 5s
                  The time between TERM and KILL.
              --lost-status <n>           default 74
                  The exit status after a loss.
              --not-acquired-status <n>   default 75
                  The exit status if others hold the key.
              --quiet                     Report failures only.
              --json                      Report each event as a line of JSON on standard error.
            """ + ConnectionOptions.USAGE.formatted("127.0.0.1:6388")
            + ConnectionOptions.LAST_USAGE + """

            The command has FLOCKGATE_KEY, FLOCKGATE_LEASE_TOKEN and FLOCKGATE_FENCE (a decimal number) in its
            environment. It receives the signals TERM, INT, HUP, USR1, USR2 and WINCH.

            Examples:
              flockgate run --key deploy -- make install
              flockgate run --key nightly --wait 0 --server gate-1:6388,gate-2:6388 -- ./backup.sh
              flockgate run --key build --limit 4 --wait 10m -- sh -c 'make && make test'
            """;

    private static final char REPLACEMENT = '\uFFFD';
    private static final int MAX_STATUS = 255;

    /**
     * @throws CommandException for options that cannot be used
     */
    static RunOptions of(CommandArguments arguments, List<String> command) {
        String key = arguments.text("key").orElseThrow(() -> noKey(arguments));
        arguments.atMost(0);
        return new RunOptions(
                checked(command),
                ConnectionOptions.of(arguments, Servers.LOCAL_LINE),
                ClaimOptions.of(arguments, key),
                OnLoss.of(arguments.text("on-loss").orElse("kill")),
                status(arguments, "lost-status", Statuses.LOST),
                status(arguments, "not-acquired-status", Statuses.NOT_ACQUIRED),
                Notices.Style.of(arguments));
    }

    private static CommandException noKey(CommandArguments arguments) {
        String meant = arguments.words().isEmpty()
                ? ""
                : ": did you mean --key " + Quoting.quoted(arguments.words().getFirst()) + "?";
        return CommandException.usage("--key is missing" + meant + " (see --help)");
    }

    private static List<String> checked(List<String> command) {
        for (int i = 0; i < command.size(); i++) {
            // Java decodes an invalid byte as this character, so it could not pass the byte on.
            if (command.get(i).indexOf(REPLACEMENT) >= 0) {
                throw CommandException.usage(
                        "argument " + i + " of the command cannot be passed on unchanged: it is not"
                                + " UTF-8, or the locale is not (then set LC_ALL=C.UTF-8)");
            }
        }
        return command;
    }

    private static int status(CommandArguments arguments, String option, int otherwise) {
        String text = arguments.text(option).orElse(Integer.toString(otherwise));
        try {
            int status = Integer.parseInt(text);
            if (status >= 0 && status <= MAX_STATUS) {
                return status;
            }
        } catch (NumberFormatException e) {
            // Handled like a number that is too large.
        }
        throw CommandException.usage("--" + option + " must be from 0 to 255 (got " + Quoting.quoted(text) + ")");
    }
}
