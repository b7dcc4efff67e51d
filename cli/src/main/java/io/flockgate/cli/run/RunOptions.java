package io.flockgate.cli.run;

import io.flockgate.cli.run.ClaimOptions.WaitOption;
import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.CommandSyntax;
import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.options.Arguments;
import io.flockgate.options.Option;
import io.flockgate.options.OptionType;
import io.flockgate.options.Rule;
import io.flockgate.text.Quoting;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The options of {@code flockgate run}.
 *
 * @param command the program and its arguments
 * @param lostStatus the exit status after a loss
 * @param notAcquiredStatus the exit status if others hold the key
 */
record RunOptions(List<String> command, ClaimOptions claim, OnLoss onLoss, int lostStatus, int notAcquiredStatus) {
    private static final Option<String> KEY =
            Option.text("key", "key").help("1 to 200 printable ASCII characters without blanks.");
    private static final Option<OnLoss> ON_LOSS = Option.flag(
                    "on-loss", OptionType.alike("what", "kill, term or ignore", OnLoss::read), "kill")
            .help("If the lease is lost: kill (TERM, then KILL after --grace, to the command and its descendants), term"
                    + " (TERM, never KILL), or ignore (the command continues).");
    private static final Option<Long> LOST_STATUS =
            status("lost-status", Statuses.LOST).help("The exit status after a loss.");
    private static final Option<Long> NOT_ACQUIRED_STATUS =
            status("not-acquired-status", Statuses.NOT_ACQUIRED).help("The exit status if others hold the key.");

    static final CommandSyntax SYNTAX = CommandSyntax.connecting(
            "run",
            """
            Usage: flockgate run --key <key> [options] -- <command> [<argument>…]

            Runs a command while holding a key, and exits with the command's status. If the lease is lost,
            the command is ended before another client can take the key.
            """,
            List.of(
                    KEY,
                    ClaimOptions.LIMIT,
                    WaitOption.WAIT,
                    ClaimOptions.LEASE,
                    ClaimOptions.NAME,
                    ON_LOSS,
                    ClaimOptions.GRACE,
                    LOST_STATUS,
                    NOT_ACQUIRED_STATUS,
                    ClaimOptions.QUIET,
                    ClaimOptions.JSON),
            ConnectionOptions.LINE,
            """
            The command has FLOCKGATE_KEY, FLOCKGATE_LEASE_TOKEN and FLOCKGATE_FENCE (a decimal number) in its
            environment. It receives the signals TERM, INT, HUP, USR1, USR2 and WINCH.

            Examples:
              flockgate run --key deploy -- make install
              flockgate run --key nightly --wait 0 --server gate-1:6388,gate-2:6388 -- ./backup.sh
              flockgate run --key build --limit 4 --wait 10m -- sh -c 'make && make test'
            """);

    private static final char REPLACEMENT = '\uFFFD';

    /**
     * @throws CommandException for options that cannot be used
     */
    static RunOptions of(Arguments arguments, List<String> command) {
        String key = arguments.text(KEY).orElseThrow(() -> noKey(arguments));
        arguments.atMost(0);
        return new RunOptions(
                checked(command),
                ClaimOptions.of(arguments, key),
                arguments.get(ON_LOSS),
                Math.toIntExact(arguments.get(LOST_STATUS)),
                Math.toIntExact(arguments.get(NOT_ACQUIRED_STATUS)));
    }

    private static CommandException noKey(Arguments arguments) {
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

    private static Option<Long> status(String flag, int otherwise) {
        return Option.of(flag, "", OptionType.number("n"), Integer.toString(otherwise), Rule.between(0, 255));
    }

    /** What happens to the command when the lease is lost. */
    enum OnLoss {
        /** TERM, then KILL before the lease passes on. */
        KILL,
        /** TERM, and never KILL. */
        TERM,
        /** Nothing. The command's own status counts. */
        IGNORE;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Optional<OnLoss> read(String text) {
            return Stream.of(values()).filter(each -> each.word().equals(text)).findFirst();
        }
    }
}
