package io.flockgate.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flockgate.cli.SubCommands;
import io.flockgate.cli.shared.CommandCall;
import io.flockgate.gateway.Main;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Runs sub-commands in this JVM, without signals, and keeps the output of the last one. */
public final class CommandRun {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    /** Runs a line of words separated by blanks, and returns the exit status. */
    public int run(Map<String, String> environment, String line) {
        return run(environment, List.of(line.split(" ")));
    }

    /** The same for words that may contain blanks. */
    public int run(Map<String, String> environment, List<String> words) {
        out.reset();
        err.reset();
        PrintStream output = new PrintStream(out, true, UTF_8);
        PrintStream errors = new PrintStream(err, true, UTF_8);
        List<String> args = words.subList(1, words.size());
        return switch (words.getFirst()) {
            case "run" -> RunCommand.run(new CommandCall(args, environment, output, errors), SignalInbox::new);
            case "lock" -> LockCommand.run(new CommandCall(args, environment, output, errors), SignalInbox::new);
            default -> SubCommands.run(words.getFirst(), args, environment, new Main.ThisGateway(), output, errors);
        };
    }

    /** The same as {@link #run(Map, String)} on another thread. */
    public CompletableFuture<Integer> later(Map<String, String> environment, String line) {
        return CompletableFuture.supplyAsync(
                () -> run(environment, line), Thread.ofPlatform().daemon()::start);
    }

    public String output() {
        return out.toString(UTF_8);
    }

    public String errorOutput() {
        return err.toString(UTF_8);
    }
}
