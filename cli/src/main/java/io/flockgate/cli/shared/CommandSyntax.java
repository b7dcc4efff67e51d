package io.flockgate.cli.shared;

import io.flockgate.text.Quoting;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/**
 * The options of one sub-command.
 *
 * @param command the word that begins it
 * @param texts the names of the options that take a value, without dashes
 * @param switches the names of those that take none
 */
public record CommandSyntax(String command, List<String> texts, List<String> switches) {
    private static final List<String> CONNECTION = List.of("server", "auth-token-file", "auth-token", "ca-file");

    public CommandSyntax {
        texts = List.copyOf(texts);
        switches = List.copyOf(switches);
    }

    /** These options and those of a connection. */
    public static CommandSyntax connecting(String command, List<String> texts, List<String> switches) {
        List<String> all = Stream.concat(texts.stream(), CONNECTION.stream()).toList();
        return new CommandSyntax(command, all, switches);
    }

    /**
     * Runs a sub-command with these options: prints its help if that is asked for, and a failure on
     * {@code err}.
     *
     * @param args what follows the word of the sub-command
     * @param body returns the exit status
     * @return the exit status
     */
    public int run(
            String help,
            List<String> args,
            Map<String, String> environment,
            PrintStream out,
            PrintStream err,
            ToIntFunction<CommandArguments> body) {
        try {
            CommandArguments arguments = CommandArguments.of(this, args, environment);
            if (arguments.has("help")) {
                out.print(help);
                return 0;
            }
            return body.applyAsInt(arguments);
        } catch (CommandException e) {
            // The message may repeat what a server has sent, and the terminal would obey its escapes.
            err.println("flockgate " + command + ": " + Quoting.escaped(String.valueOf(e.getMessage())));
            return e.status();
        }
    }

    /** All options with their dashes. */
    Stream<String> dashed() {
        return Stream.of(texts, switches, List.of("help")).flatMap(List::stream).map(name -> "--" + name);
    }
}
