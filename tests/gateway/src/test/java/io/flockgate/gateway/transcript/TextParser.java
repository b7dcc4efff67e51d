package io.flockgate.gateway.transcript;

import io.flockgate.gateway.transcript.Text.Age;
import io.flockgate.gateway.transcript.Text.Bytes;
import io.flockgate.gateway.transcript.Text.Change;
import io.flockgate.gateway.transcript.Text.Fragment;
import io.flockgate.gateway.transcript.Text.Kind;
import io.flockgate.gateway.transcript.Text.Left;
import io.flockgate.gateway.transcript.Text.Named;
import io.flockgate.gateway.transcript.Text.Range;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the text of a line: escapes, repeats and placeholders. */
final class TextParser {
    private static final Pattern ITEM = Pattern.compile("""
            \\{"(?<repeated>(?:[^"\\\\]|\\\\.)*)"\\ \\*\\ (?<times>[0-9]{1,7})\\}
            |\\\\x(?<hex>[0-9a-f]{2})
            |\\\\u(?<unicode>[0-9a-f]{4})
            |\\\\(?<escape>[nrt\\\\])
            |<(?<name>(?:tok|id|place)[0-9]*|ses[A-Z]?[0-9]*)(?::(?<change>upper|cut|fence))?>
            |<num\\ (?<low>[0-9.]+)\\.\\.(?<high>[0-9.]+)>
            |<(?<age>age)>
            |<left\\ (?<left>[0-9]+)>
            |<(?<form>date|text|detail|incarnation)>
            |(?<bad>[\\\\<]|\"\\ \\*\\ )
            |(?<plain>[^\\\\<{\"]+|[{\"])
            """, Pattern.COMMENTS);

    /** The text of a JSON string. */
    private static final String TEXT = "(?:[^\"\\\\\\x00-\\x1f]|\\\\.)+";

    private static final Map<String, String> FORMS = Map.of(
            "date",
            "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT",
            "text",
            TEXT,
            "detail",
            "(?:,\"detail\":\"" + TEXT + "\")?",
            "incarnation",
            "(?: incarnation=[0-9A-Za-z_-]{1,64}|,\"incarnation\":\"[0-9A-Za-z_-]{1,64}\")?");

    private TextParser() {}

    /** Throws {@link IllegalArgumentException} saying what is wrong with the text. */
    static Text parse(String written) {
        if (!written.strip().equals(written)) {
            throw new IllegalArgumentException("white space at an end: write \\x20");
        }
        return new Text(written, parts(written));
    }

    private static List<Fragment> parts(String written) {
        List<Fragment> parts = new ArrayList<>();
        Matcher matcher = ITEM.matcher(written);
        while (matcher.lookingAt()) {
            parts.add(part(matcher));
            matcher.region(matcher.end(), written.length());
        }
        return parts;
    }

    private static Fragment part(Matcher item) {
        if (item.group("repeated") != null) {
            return new Bytes(bytes(item.group("repeated")).repeat(Integer.parseInt(item.group("times"))));
        }
        if (item.group("name") != null) {
            return named(item.group("name"), item.group("change"));
        }
        if (item.group("low") != null) {
            return new Range(Double.parseDouble(item.group("low")), Double.parseDouble(item.group("high")));
        }
        if (item.group("age") != null) {
            return new Age();
        }
        if (item.group("left") != null) {
            return new Left(Double.parseDouble(item.group("left")));
        }
        if (item.group("form") != null) {
            return new Text.Form(Objects.requireNonNull(FORMS.get(item.group("form"))));
        }
        if (item.group("bad") != null) {
            throw new IllegalArgumentException("cannot read the text from " + item.group("bad") + " on");
        }
        return new Bytes(escaped(item));
    }

    private static Named named(String name, @Nullable String change) {
        Change changed = change == null ? Change.NONE : Change.valueOf(change.toUpperCase(Locale.ROOT));
        return new Named(name, kind(name), changed);
    }

    private static Kind kind(String name) {
        return switch (name.charAt(0)) {
            case 't' -> Kind.TOKEN;
            case 's' -> Kind.SESSION;
            case 'p' -> Kind.PLACE;
            default -> Kind.ID;
        };
    }

    private static String escaped(Matcher item) {
        if (item.group("hex") != null) {
            return Character.toString(Integer.parseInt(item.group("hex"), 16));
        }
        if (item.group("unicode") != null) {
            return latin1(Character.toString(Integer.parseInt(item.group("unicode"), 16)));
        }
        if (item.group("escape") != null) {
            return switch (item.group("escape")) {
                case "n" -> "\n";
                case "r" -> "\r";
                case "t" -> "\t";
                default -> "\\";
            };
        }
        return latin1(item.group("plain"));
    }

    private static String bytes(String text) {
        StringBuilder bytes = new StringBuilder();
        for (Fragment part : parts(text)) {
            if (!(part instanceof Bytes plain)) {
                throw new IllegalArgumentException("a placeholder cannot be repeated");
            }
            bytes.append(plain.latin1());
        }
        return bytes.toString();
    }

    private static String latin1(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }
}
