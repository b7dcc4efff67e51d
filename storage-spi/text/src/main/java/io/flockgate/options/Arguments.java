package io.flockgate.options;

import io.flockgate.text.Quoting;
import io.flockgate.text.Suggestion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A command line, read by the rules of Go's flag package, and the environment. {@code -x} and
 * {@code --x} are equivalent, and so are {@code --x=v} and {@code --x v}. A switch is {@code --x}
 * or {@code --x=v}. The last of several flags wins, unless all count. Flags may follow words; only
 * words follow {@code --}.
 *
 * <p>The value of an option comes from the first of these: a flag, a variable that is not empty,
 * the default.
 *
 * @param words the arguments that are neither flags nor their values
 * @param flags text by flag name, for the given flags
 * @param environment text by variable name
 * @param help whether there is {@code --help} or {@code -h}; nothing behind it has been read
 */
public record Arguments(List<String> words, Map<String, String> flags, Map<String, String> environment, boolean help) {
    private static final List<String> HELP = List.of("help", "h");
    private static final String SEE_HELP = " (see --help)";

    /** The part of an address that may hold a password. */
    private static final Pattern LOGIN = Pattern.compile("[^/]*@");

    private static final Pattern SERVICE_LINK = Pattern.compile("(tcp|udp|sctp)://\\S+");

    /**
     * A text and where it was given.
     *
     * @param name the flag with its dashes, or the variable
     */
    public record Given(Option<?> option, String name, String text) {}

    /** A value, and its text as the flag would have it. */
    private record Read<T>(String text, T value) {}

    /**
     * Reads a command line.
     *
     * @throws OptionException for a flag that is not in the table, or without its value
     */
    public static Arguments of(List<Option<?>> table, List<String> args, Map<String, String> environment) {
        List<String> words = new ArrayList<>();
        Map<String, String> flags = new HashMap<>();
        Iterator<String> rest = args.iterator();
        boolean help = false;
        while (rest.hasNext() && !help) {
            String arg = rest.next();
            if (arg.equals("--")) {
                rest.forEachRemaining(words::add);
            } else if (arg.length() < 2 || arg.charAt(0) != '-') {
                words.add(arg);
            } else if (HELP.contains(name(arg))) {
                help = true;
            } else {
                Option<?> option = find(table, arg);
                String text = text(option, arg, rest);
                flags.merge(
                        option.flag(),
                        text,
                        (first, last) -> option.type().isRepeatable() ? first + "\n" + last : last);
            }
        }
        return new Arguments(words, flags, environment, help);
    }

    /** The name of a flag, without dashes and value. */
    private static String name(String arg) {
        return arg.substring(arg.startsWith("--") ? 2 : 1).split("=", 2)[0];
    }

    private static Option<?> find(List<Option<?>> table, String arg) {
        String name = name(arg);
        return table.stream()
                .filter(option -> option.flag().equals(name))
                .findFirst()
                .orElseThrow(() -> unknown(table, arg.split("=", 2)[0]));
    }

    private static OptionException unknown(List<Option<?>> table, String flag) {
        String dashed = flag.startsWith("--") ? flag : "-" + flag;
        String meant = Suggestion.of(dashed, Stream.concat(table.stream().map(Option::dashed), Stream.of("--help")));
        return new OptionException("unknown option " + Quoting.quoted(flag) + meant + SEE_HELP, name(flag));
    }

    private static String text(Option<?> option, String arg, Iterator<String> rest) {
        int equals = arg.indexOf('=');
        if (equals >= 0) {
            return arg.substring(equals + 1);
        }
        if (option.type().isSwitch()) {
            return "true";
        }
        if (!rest.hasNext()) {
            throw new OptionException(option.dashed() + " needs a value" + SEE_HELP);
        }
        return rest.next();
    }

    /**
     * The word at this index.
     *
     * @param what its meaning, for the message
     * @throws OptionException if there are fewer words
     */
    public String word(int index, String what) {
        if (words.size() <= index) {
            throw new OptionException(what + " is missing" + SEE_HELP);
        }
        return words.get(index);
    }

    /**
     * Refuses further words.
     *
     * @throws OptionException for more words than these
     */
    public void atMost(int count) {
        if (words.size() > count) {
            throw new OptionException("unexpected word " + Quoting.quoted(words.get(count)) + SEE_HELP);
        }
    }

    /** The text of an option's flag. */
    public Optional<Given> onCommandLine(Option<?> option) {
        return Optional.ofNullable(flags.get(option.flag())).map(text -> new Given(option, option.dashed(), text));
    }

    /** The text of an option's variable, if that is not empty and no service link. */
    public Optional<Given> inEnvironment(Option<?> option) {
        return Optional.ofNullable(environment.get(option.variable()))
                .filter(text -> !text.isEmpty() && !isServiceLink(option.variable(), text))
                .map(text -> new Given(option, option.variable(), text));
    }

    /**
     * Whether a variable is one that Kubernetes sets in each container for a Service: for the
     * Service {@code dflockd} it is {@code DFLOCKD_PORT=tcp://10.0.0.1:6388}.
     */
    public static boolean isServiceLink(String variable, String text) {
        return variable.endsWith("_PORT") && SERVICE_LINK.matcher(text).matches();
    }

    /** The text of an option, as it was given. */
    public Optional<Given> given(Option<?> option) {
        return onCommandLine(option).or(() -> inEnvironment(option));
    }

    /**
     * The option's value, which satisfies its rule.
     *
     * @throws OptionException for a text that is not of the option's type, or breaks its rule
     */
    public <T> T get(Option<T> option) {
        return read(option)
                .map(Read::value)
                .or(() -> option.type().parser().apply(option.fallback()))
                .orElseThrow(() -> new AssertionError(option.flag()));
    }

    /**
     * The option's text as the flag would have it; empty where the option is not given.
     *
     * @throws OptionException for a text that is not of the option's type, or breaks its rule
     */
    public Optional<String> text(Option<?> option) {
        return read(option).map(Read::text);
    }

    private <T> Optional<Read<T>> read(Option<T> option) {
        OptionType<T> type = option.type();
        return onCommandLine(option)
                .map(given -> read(option, given, Optional.of(given.text()), type.flagWants()))
                .or(() -> inEnvironment(option)
                        .map(given -> read(option, given, type.asFlag().apply(given.text()), type.variableWants())));
    }

    private static <T> Read<T> read(Option<T> option, Given given, Optional<String> text, String wants) {
        T value = text.flatMap(option.type().parser())
                .orElseThrow(() -> new OptionException(
                        given.name() + " must be " + wants + " (got " + Quoting.quoted(given.text()) + ")"));
        option.rule().violation().apply(value).ifPresent(violation -> {
            String origin = given.name().equals(option.dashed()) ? "" : " from " + given.name();
            throw new OptionException(option.dashed() + " " + violation + " (got " + shown(given) + origin + ")");
        });
        return new Read<>(text.orElseThrow(), value);
    }

    private static String shown(Given given) {
        if (OptionType.number("").parser().apply(given.text()).isPresent()) {
            return given.text();
        }
        return Quoting.quoted(LOGIN.matcher(given.text()).replaceFirst("…@"));
    }

    /** The names without the values, some of which are secrets. */
    @Override
    public String toString() {
        return flags.keySet().toString();
    }
}
