package io.flockgate.cli.shared;

import io.flockgate.options.Arguments;
import io.flockgate.options.Option;
import io.flockgate.options.OptionException;
import io.flockgate.options.OptionHelp;
import io.flockgate.text.Quoting;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/**
 * The command line of one sub-command.
 *
 * @param command the word that begins it
 * @param head the part of the help before the options
 * @param tail the part of the help after them
 */
public record CommandSyntax(String command, String head, List<Option<?>> options, String tail) {
    public CommandSyntax {
        options = List.copyOf(options);
    }

    /** These options and those of a connection. */
    public static CommandSyntax connecting(
            String command, String head, List<Option<?>> options, Option<String> server, String tail) {
        List<Option<?>> all = Stream.of(options, List.of(server), ConnectionOptions.OTHERS)
                .<Option<?>>flatMap(List::stream)
                .toList();
        return new CommandSyntax(command, head, all, tail);
    }

    /**
     * Runs a sub-command with these options: prints its help if that is asked for, and a failure.
     *
     * @param body returns the exit status
     * @return the exit status
     */
    public int run(CommandCall call, ToIntFunction<Arguments> body) {
        try {
            Arguments arguments = Arguments.of(options, call.args(), call.environment());
            if (arguments.help()) {
                call.out().print(help());
                return 0;
            }
            return body.applyAsInt(arguments);
        } catch (CommandException e) {
            return failed(call, e);
        } catch (OptionException e) {
            // As in flockgate run.
            boolean key = e.unknownFlag().equals("key");
            String word = "the key is a word, as in flockgate " + command + " deploy (see --help)";
            return failed(call, CommandException.usage(key ? word : e.text()));
        }
    }

    /** The message may repeat what a server has sent, and the terminal would obey its escapes. */
    private int failed(CommandCall call, CommandException e) {
        call.err().println("flockgate " + command + ": " + Quoting.escaped(String.valueOf(e.getMessage())));
        return e.status();
    }

    private String help() {
        return head + "\n" + OptionHelp.of(options)
                + "  -h, --help\n      Print this text. flockgate --help lists the exit statuses.\n\n" + tail;
    }
}
