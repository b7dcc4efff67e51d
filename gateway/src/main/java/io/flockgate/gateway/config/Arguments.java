package io.flockgate.gateway.config;

import io.flockgate.options.Option;
import io.flockgate.options.OptionType;
import io.flockgate.text.Quoting;
import io.flockgate.text.Suggestion;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import joptsimple.OptionException;
import joptsimple.OptionParser;
import joptsimple.OptionSet;
import joptsimple.OptionSpec;
import joptsimple.OptionSpecBuilder;

/**
 * The arguments of a command line, read by the rules of Go's flag package. {@code -x} and {@code
 * --x} are equivalent, and so are {@code --x=v} and {@code --x v}. A switch is {@code --x} or
 * {@code --x=v}. The last of several flags wins, unless all count. A word that is not a flag is
 * refused.
 *
 * @param values text by flag name, for the given flags
 */
record Arguments(Map<String, String> values, boolean help, boolean version) {
    private static final String HELP = "help";
    /**
     * Not declared to the parser: a one-letter flag would make it read {@code -hostname} as
     * letters.
     */
    private static final List<String> HELP_SHORT = List.of("-h", "--h");

    private static final String VERSION = "version";

    static Arguments of(List<String> args, OptionCatalogue catalogue) {
        OptionSet given = parse(parser(catalogue), args);
        if (given.has(HELP) || HELP_SHORT.contains(firstLeft(given))) {
            return new Arguments(Map.of(), true, false);
        }
        refuseRest(given, catalogue);
        Map<String, String> values = new HashMap<>();
        catalogue
                .options()
                .filter(option -> given.has(option.flag()))
                .forEach(option -> values.put(option.flag(), text(given, option)));
        return new Arguments(Map.copyOf(values), false, version(given));
    }

    private static OptionParser parser(OptionCatalogue catalogue) {
        OptionParser parser = new OptionParser(false);
        // Stops at the first word that is not a flag, and keeps a switch from taking the next word
        // as its value.
        parser.posixlyCorrect(true);
        // An unknown flag then is one of the other words. The exception would name only one letter
        // of it.
        parser.allowsUnrecognizedOptions();
        List.of(HELP, VERSION).forEach(name -> parser.accepts(name).withOptionalArg());
        catalogue.options().forEach(option -> {
            OptionSpecBuilder flag = parser.accepts(option.flag());
            OptionSpec<String> unused = option.type().isSwitch() ? flag.withOptionalArg() : flag.withRequiredArg();
        });
        return parser;
    }

    private static OptionSet parse(OptionParser parser, List<String> args) {
        try {
            return parser.parse(args.toArray(String[]::new));
        } catch (OptionException e) {
            // With unknown flags allowed, the parser reports only missing values.
            throw new ConfigException("--" + e.options().getFirst() + " needs a value");
        }
    }

    /** The first word that is not a flag, or an unknown flag; empty if there is none. */
    private static String firstLeft(OptionSet given) {
        return given.nonOptionArguments().stream()
                .map(String::valueOf)
                .findFirst()
                .orElse("");
    }

    private static void refuseRest(OptionSet given, OptionCatalogue catalogue) {
        if (given.nonOptionArguments().isEmpty()) {
            return;
        }
        String word = firstLeft(given);
        if (word.length() > 1 && word.startsWith("-")) {
            String flag = word.split("=", 2)[0];
            throw new ConfigException(
                    "unknown flag " + Quoting.quoted(flag) + flagMeant(flag, catalogue) + " (see --help)");
        }
        // Next to a token, the word may be the rest of a secret that contains a space.
        boolean secret = catalogue.secrets().stream().anyMatch(given::has);
        String shown = secret ? "" : " " + Quoting.quoted(word);
        String meant = secret ? "" : Suggestion.of(word, CommandLine.WORDS.stream());
        throw new ConfigException("unexpected word" + shown + " on the command line" + meant + " (see --help)");
    }

    private static String flagMeant(String flag, OptionCatalogue catalogue) {
        String dashed = flag.startsWith("--") ? flag : "-" + flag;
        return Suggestion.of(
                dashed, Stream.concat(catalogue.options().map(Option::dashed), Stream.of("--" + HELP, "--" + VERSION)));
    }

    private static String text(OptionSet given, Option<?> option) {
        if (!option.type().isRepeatable()) {
            return last(given, option.flag());
        }
        return given.valuesOf(option.flag()).stream().map(String::valueOf).collect(Collectors.joining("\n"));
    }

    private static String last(OptionSet given, String flag) {
        List<?> values = given.valuesOf(flag);
        long times = Collections.frequency(
                given.specs().stream().map(spec -> spec.options().getFirst()).toList(), flag);
        if (values.isEmpty()) {
            return "true";
        }
        if (values.size() < times) {
            throw new ConfigException("--" + flag + " is given both with and without a value");
        }
        return String.valueOf(values.getLast());
    }

    private static boolean version(OptionSet given) {
        if (!given.has(VERSION)) {
            return false;
        }
        String text = last(given, VERSION);
        return OptionType.SWITCH
                .parser()
                .apply(text)
                .orElseThrow(() -> new ConfigException("--version must be true or false"));
    }
}
