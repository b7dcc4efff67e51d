package io.flockgate.gateway.transcript;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text of a line: bytes and placeholders. Bytes are kept as a string of characters 0 to 255.
 *
 * @param written as written in the transcript
 */
record Text(String written, List<Fragment> parts) {
    Text {
        parts = List.copyOf(parts);
    }

    sealed interface Fragment {}

    record Bytes(String latin1) implements Fragment {}

    /** A named value: unknown until it is first received, and the same from then on. */
    record Named(String name, Kind kind, Change change) implements Fragment {}

    /** A number from {@code low} to {@code high} that is not remembered. */
    record Range(double low, double high) implements Fragment {}

    /** Seconds since something that the same transcript has done. */
    record Age() implements Fragment {}

    /** What is left of so many seconds that began with something the same transcript has done. */
    record Left(double of) implements Fragment {}

    /** Something of a certain form that is not remembered. */
    record Form(String regex) implements Fragment {}

    enum Kind {
        TOKEN("[0-9a-f]{32}"),
        SESSION("[0-9a-f]{32}"),
        ID("[1-9][0-9]*"),
        PLACE("[!#-.0-\\[\\]-~]{1,128}");

        final String regex;

        Kind(String regex) {
            this.regex = regex;
        }
    }

    /** A change of a value before it is sent. */
    enum Change {
        NONE,
        UPPER,
        CUT,
        FENCE;

        String of(String value) {
            return switch (this) {
                case NONE -> value;
                case UPPER -> value.toUpperCase(Locale.ROOT);
                case CUT -> value.substring(0, value.length() - 1);
                case FENCE -> value.substring(0, 16);
            };
        }
    }

    private static final String NUMBER = "-?[0-9]+(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?";

    /** The names in this text. */
    Set<String> names() {
        Set<String> names = new TreeSet<>();
        for (Fragment part : parts) {
            if (part instanceof Named named) {
                names.add(named.name());
            }
        }
        return names;
    }

    /** The bytes to send, with the values that are known. */
    String fill(Bindings bindings) {
        StringBuilder filled = new StringBuilder();
        for (Fragment part : parts) {
            filled.append(
                    switch (part) {
                        case Bytes bytes -> bytes.latin1();
                        case Named named -> named.change().of(bindings.value(named.name()));
                        case Range _, Age _, Left _, Form _ ->
                            throw new IllegalStateException("cannot be sent: " + part);
                    });
        }
        return filled.toString();
    }

    /** Whether this line is what was expected; learns the values that were not known before. */
    boolean matches(String line, Bindings bindings) {
        List<Fragment> captured = new ArrayList<>();
        Matcher matcher =
                Pattern.compile(regex(bindings, captured), Pattern.DOTALL).matcher(line);
        if (!matcher.matches()) {
            return false;
        }
        Bindings learnt = new Bindings(bindings);
        for (int i = 0; i < captured.size(); i++) {
            if (!accept(captured.get(i), matcher.group(i + 1), learnt)) {
                return false;
            }
        }
        bindings.learn(learnt);
        return true;
    }

    private String regex(Bindings bindings, List<Fragment> captured) {
        StringBuilder regex = new StringBuilder();
        for (Fragment part : parts) {
            switch (part) {
                case Bytes bytes -> regex.append(Pattern.quote(bytes.latin1()));
                case Named named -> {
                    boolean known = bindings.knows(named.name());
                    String value = known ? Pattern.quote(bindings.value(named.name())) : named.kind().regex;
                    regex.append('(').append(value).append(')');
                    captured.add(named);
                }
                case Range _, Age _, Left _ -> {
                    regex.append('(').append(NUMBER).append(')');
                    captured.add(part);
                }
                case Form form -> regex.append("(?:").append(form.regex()).append(')');
            }
        }
        return regex.toString();
    }

    private static boolean isWithin(String value, double low, double high) {
        double found = Double.parseDouble(value);
        return found >= low && found <= high;
    }

    private static boolean accept(Fragment part, String value, Bindings learnt) {
        return switch (part) {
            case Bytes bytes -> bytes.latin1().equals(value);
            case Form form -> value.matches(form.regex());
            case Named named -> learnt.bind(named.name(), value);
            case Range range -> isWithin(value, range.low(), range.high());
            case Age _ -> isWithin(value, 0, learnt.mostSeconds());
            case Left left -> isWithin(value, left.of() - learnt.mostSeconds(), left.of());
        };
    }
}
