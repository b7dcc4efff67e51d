package io.flockgate.cli.run;

import io.flockgate.cli.keys.CommandRun;
import io.flockgate.cli.shared.CommandCall;

/** {@code run} and {@code lock} without signals, and the commands that start no process. */
final class ClaimCommands {
    private ClaimCommands() {}

    static int run(String word, CommandCall call) {
        return switch (word) {
            case "run" -> RunCommand.run(call, SignalInbox::closed);
            case "lock" -> LockCommand.run(call, SignalInbox::closed);
            default -> CommandRun.runWithoutProcess(word, call);
        };
    }
}
