package io.flockgate.cli.keys;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flockgate.cli.SubCommands;
import io.flockgate.cli.shared.CommandCall;
import io.flockgate.gateway.Main;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Runs sub-commands in this JVM, and keeps the output of the last one. */
public final class CommandRun {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Command command;

    /** Runs the sub-command that begins with this word. */
    public interface Command {
        int run(String word, CommandCall call);
    }

    /** For the commands that start no process. */
    public CommandRun() {
        this(CommandRun::runWithoutProcess);
    }

    public CommandRun(Command command) {
        this.command = command;
    }

    public static int runWithoutProcess(String word, CommandCall call) {
        return SubCommands.run(word, call.args(), call.environment(), new Main.ThisGateway(), call.out(), call.err());
    }

    /** Runs a line of words separated by blanks, and returns the exit status. */
    public int run(Map<String, String> environment, String line) {
        return run(environment, List.of(line.split(" ")));
    }

    /** The same for words that may contain blanks. */
    public int run(Map<String, String> environment, List<String> words) {
        out.reset();
        err.reset();
        CommandCall call = new CommandCall(
                words.subList(1, words.size()),
                environment,
                new PrintStream(out, true, UTF_8),
                new PrintStream(err, true, UTF_8));
        return command.run(words.getFirst(), call);
    }

    /** The same as {@link #run(Map, String)} on another thread. */
    public CompletableFuture<Integer> later(Map<String, String> environment, String line) {
        return CompletableFuture.supplyAsync(() -> run(environment, line), Thread::startVirtualThread);
    }

    public String output() {
        return out.toString(UTF_8);
    }

    public String errorOutput() {
        return err.toString(UTF_8);
    }
}
