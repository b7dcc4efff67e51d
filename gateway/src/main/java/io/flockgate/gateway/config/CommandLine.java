package io.flockgate.gateway.config;

import io.flockgate.cli.SubCommands;
import io.flockgate.gateway.config.Secrets.TokenFile;
import io.flockgate.options.Arguments;
import io.flockgate.options.Option;
import io.flockgate.options.OptionException;
import io.flockgate.text.Quoting;
import io.flockgate.text.Suggestion;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Reads the command line and the environment. Opens nothing but token files. */
public final class CommandLine {
    private static final String SERVE = "serve";
    private static final String HELP = "help";
    private static final String VERSION = "version";

    /** The words that may be first on the command line. */
    static final List<String> WORDS = Stream.of(List.of(SERVE, HELP, VERSION), SubCommands.WORDS)
            .flatMap(List::stream)
            .toList();

    private static final Option<Boolean> VERSION_FLAG = Option.off(VERSION);

    private CommandLine() {}

    /**
     * Reads a command line. Checks all options, even with {@code --version}.
     *
     * @param args the words after the command's name
     * @param environment all variables by name
     */
    public static Invocation read(List<String> args, Map<String, String> environment) {
        return read(args, environment, TokenFile.SYSTEM);
    }

    static Invocation read(List<String> args, Map<String, String> environment, TokenFile files) {
        if (!args.isEmpty() && SubCommands.WORDS.contains(args.getFirst())) {
            return new Invocation.SubCommand(args.getFirst(), args.subList(1, args.size()));
        }
        if (args.size() == 2 && args.getFirst().equals(HELP)) {
            return read(List.of(args.getLast(), "--help"), environment, files);
        }
        if (!args.isEmpty() && isUnknownWord(args.getFirst())) {
            return new Invocation.UnknownSubCommand(unknownWord(args.getFirst()));
        }
        return ofServer(args, environment, files);
    }

    private static Invocation ofServer(List<String> args, Map<String, String> environment, TokenFile files) {
        try {
            InstalledStorages installed = InstalledStorages.onClassPath();
            OptionCatalogue catalogue = OptionCatalogue.of(installed);
            List<Option<?>> flags =
                    Stream.concat(catalogue.options(), Stream.of(VERSION_FLAG)).toList();
            Arguments given = Arguments.of(flags, withoutSubCommand(args), environment);
            if (given.help()) {
                return new Invocation.Help(
                        args.getFirst().equals(SERVE) ? HelpText.serve(catalogue) : HelpText.OVERVIEW);
            }
            refuseWords(given, catalogue);
            GatewayConfig config = new ConfigReader(given, files, installed).read();
            return given.get(VERSION_FLAG) ? new Invocation.Version() : new Invocation.Serve(config);
        } catch (OptionException e) {
            return new Invocation.Invalid(e.text());
        }
    }

    /** Next to a token, the word may be the rest of a secret that contains a space. */
    private static void refuseWords(Arguments given, OptionCatalogue catalogue) {
        given.words().stream().findFirst().ifPresent(word -> {
            boolean secret = catalogue.secrets().stream().anyMatch(given.flags()::containsKey);
            String shown = secret ? "" : " " + Quoting.quoted(word);
            String meant = secret ? "" : Suggestion.of(word, WORDS.stream());
            throw new OptionException("unexpected word" + shown + " on the command line" + meant + " (see --help)");
        });
    }

    private static boolean isUnknownWord(String first) {
        return !first.isEmpty() && !first.startsWith("-") && !WORDS.contains(first);
    }

    private static String unknownWord(String word) {
        String meant = Suggestion.of(word, WORDS.stream());
        String rest = meant.isEmpty() ? ": the commands are serve, " + String.join(", ", SubCommands.WORDS) : meant;
        return "unknown command " + Quoting.quoted(word) + rest + " (see --help)";
    }

    /**
     * Without a sub-command the gateway serves. Other programs' usual ways to request help and
     * version also work.
     */
    private static List<String> withoutSubCommand(List<String> args) {
        if (args.isEmpty()) {
            return args;
        }
        List<String> rest = args.subList(1, args.size());
        return switch (args.getFirst()) {
            case SERVE -> rest;
            case HELP -> List.of("--help");
            case VERSION, "-v" ->
                Stream.concat(Stream.of("--version"), rest.stream()).toList();
            default -> args;
        };
    }

    /** A command line that has been read. Immutable. */
    public sealed interface Invocation {
        /** What the server does itself. */
        sealed interface OfServer extends Invocation {}

        /** Run the server. */
        record Serve(GatewayConfig config) implements OfServer {}

        /**
         * Run a sub-command.
         *
         * @param command the word that begins it
         * @param words those after it
         */
        record SubCommand(String command, List<String> words) implements Invocation {
            public SubCommand {
                words = List.copyOf(words);
            }
        }

        /** Print this text, which ends with a line feed, on standard output and exit with 0. */
        record Help(String text) implements OfServer {}

        /** Print the version on standard output and exit with 0. All settings were found valid. */
        record Version() implements OfServer {}

        /** Print {@link #line} on standard error and exit with 2, as sub-commands do. */
        record UnknownSubCommand(String message) implements OfServer {
            /** The message as the operator sees it: one line, without a line feed. */
            public String line() {
                return "flockgate: " + message;
            }
        }

        /** Print {@link #line} on standard error and exit with 1. */
        record Invalid(String message) implements OfServer {
            /**
             * The message as the operator sees it: one line, without a line feed, without secrets.
             */
            public String line() {
                return "configuration error: " + message;
            }
        }
    }
}
