package io.flockgate.cli.run;

import io.flockgate.cli.keys.CommandRun;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;

/** {@code run} and {@code lock} without signals, and the commands that start no process. */
final class ClaimCommands {
    private ClaimCommands() {}

    static int run(String word, List<String> args, Map<String, String> environment, PrintStream out, PrintStream err) {
        return switch (word) {
            case "run" -> RunCommand.run(args, environment, out, err, SignalInbox::closed);
            case "lock" -> LockCommand.run(args, environment, out, err, SignalInbox::closed);
            default -> CommandRun.runWithoutProcess(word, args, environment, out, err);
        };
    }
}
