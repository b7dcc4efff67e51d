package io.flockgate.cli.shared;

import io.flockgate.text.Fences;
import io.flockgate.text.Quoting;
import io.flockgate.text.Suggestion;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import joptsimple.OptionException;
import joptsimple.OptionParser;
import joptsimple.OptionSet;

/**
 * The arguments of a sub-command.
 *
 * @param words the arguments that are not options
 * @param environment all variables by name
 */
public record CommandArguments(List<String> words, OptionSet options, Map<String, String> environment) {
    /**
     * Reads the arguments.
     *
     * @throws CommandException for an unknown option, or an option without its value
     */
    public static CommandArguments of(CommandSyntax syntax, List<String> args, Map<String, String> environment) {
        OptionParser parser = new OptionParser(false);
        syntax.texts().forEach(name -> parser.accepts(name).withRequiredArg());
        syntax.switches().forEach(parser::accepts);
        parser.acceptsAll(List.of("help", "h"));
        try {
            OptionSet options = parser.parse(args.toArray(String[]::new));
            List<String> words =
                    options.nonOptionArguments().stream().map(String::valueOf).toList();
            return new CommandArguments(words, options, environment);
        } catch (OptionException e) {
            throw CommandException.usage(unreadable(String.valueOf(e.options().getFirst()), syntax));
        }
    }

    private static String unreadable(String name, CommandSyntax syntax) {
        String dashed = (name.length() == 1 ? "-" : "--") + name;
        if (name.equals("key") && !syntax.texts().contains("key")) {
            return "unknown option \"--key\": the key is a word, as in flockgate " + syntax.command()
                    + " deploy (see --help)";
        }
        return syntax.texts().contains(name)
                ? dashed + " needs a value (see --help)"
                : "unknown option " + Quoting.quoted(dashed) + Suggestion.of("--" + name, syntax.dashed())
                        + " (see --help)";
    }

    public boolean has(String option) {
        return options.has(option);
    }

    /** The last value of an option. */
    public Optional<String> text(String name) {
        return options.valuesOf(name).stream().map(String::valueOf).reduce((first, last) -> last);
    }

    /**
     * The value of --fence.
     *
     * @throws CommandException if it has neither form of a fence
     */
    public OptionalLong fence() {
        Optional<String> text = text("fence");
        OptionalLong fence = text.map(Fences::parse).orElseGet(OptionalLong::empty);
        if (text.isPresent() && fence.isEmpty()) {
            throw CommandException.usage("--fence must be 16 hex digits or a decimal number, as flockgate show prints"
                    + " them (got " + Quoting.quoted(text.get()) + ")");
        }
        return fence;
    }

    /** All values of an option, in their order. */
    public List<String> texts(String name) {
        return options.valuesOf(name).stream().map(String::valueOf).toList();
    }

    /** The value of an option, or else that of a variable that is not empty. */
    public Optional<String> setting(String name, String variable) {
        return text(name).or(() -> variable(variable));
    }

    /** The value of a variable that is not empty. */
    public Optional<String> variable(String name) {
        return Optional.ofNullable(environment.get(name)).filter(text -> !text.isEmpty());
    }

    /** The word at this index. */
    public String word(int index, String what) {
        if (words.size() <= index) {
            throw CommandException.usage(what + " is missing (see --help)");
        }
        return words.get(index);
    }

    /**
     * Refuses further words.
     *
     * @throws CommandException for more words than these
     */
    public void atMost(int count) {
        if (words.size() > count) {
            throw CommandException.usage("unexpected word " + Quoting.quoted(words.get(count)) + " (see --help)");
        }
    }
}
