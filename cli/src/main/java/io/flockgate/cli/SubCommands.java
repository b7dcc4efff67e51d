package io.flockgate.cli;

import io.flockgate.cli.keys.GrantCommand;
import io.flockgate.cli.keys.ListCommand;
import io.flockgate.cli.keys.OrderCommand;
import io.flockgate.cli.keys.ShowCommand;
import io.flockgate.cli.run.LockCommand;
import io.flockgate.cli.run.RunCommand;
import io.flockgate.cli.shared.CommandCall;
import io.flockgate.cli.shared.InstalledGateway;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;

/** The sub-commands, each selected by its first word: a client of a server, or a tool. */
public final class SubCommands {
    public static final List<String> WORDS = List.of(
            "run",
            "lock",
            "ls",
            "show",
            "release",
            "renew",
            "limit",
            "drain",
            "undrain",
            "fleetlock",
            "health",
            "token");

    private SubCommands() {}

    /**
     * Runs a sub-command and returns its exit status.
     *
     * @param word one of {@link #WORDS}
     * @param args what follows it
     */
    public static int run(
            String word,
            List<String> args,
            Map<String, String> environment,
            InstalledGateway gateway,
            PrintStream out,
            PrintStream err) {
        CommandCall call = new CommandCall(args, environment, out, err);
        return switch (word) {
            case "run" -> RunCommand.run(call);
            case "lock" -> LockCommand.run(call);
            case "ls" -> ListCommand.run(call);
            case "show" -> ShowCommand.run(call);
            case "release", "renew" -> GrantCommand.run(word, call);
            case "limit" -> OrderCommand.limit(call);
            case "drain" -> OrderCommand.drain(call);
            case "undrain" -> OrderCommand.undrain(call);
            case "health" -> HealthCommand.run(call, gateway);
            case "token" -> TokenCommand.run(call, gateway);
            default -> FleetLockCommand.run(call);
        };
    }
}
