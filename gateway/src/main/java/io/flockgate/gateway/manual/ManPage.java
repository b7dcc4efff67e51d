package io.flockgate.gateway.manual;

import io.flockgate.gateway.manual.HelpPage.Part;
import java.util.List;
import java.util.Locale;

/**
 * Creates a page for {@code man} from a help text, without a date, so that two builds give the same
 * page.
 */
public final class ManPage {
    private ManPage() {}

    /** The name of the page, without its section. */
    public static String name(HelpPage page) {
        return page.command().isEmpty() ? "flockgate" : "flockgate-" + page.command();
    }

    /**
     * Renders the page in the troff language.
     *
     * @param others the names of the pages to list under "see also"
     */
    public static String render(HelpPage page, String version, List<String> others) {
        StringBuilder out = new StringBuilder();
        out.append(".TH ").append(name(page).toUpperCase(Locale.ROOT)).append(" 1 \"\" \"Flockgate ");
        out.append(escaped(version)).append("\" \"Flockgate\"\n.SH NAME\n");
        out.append(name(page)).append(" \\- ").append(escaped(page.summary())).append('\n');
        boolean described = false;
        for (Part part : page.parts()) {
            if (part instanceof Part.Paragraph && !described) {
                out.append(".SH DESCRIPTION\n");
                described = true;
            }
            append(out, part);
        }
        out.append(".SH SEE ALSO\n");
        others.stream()
                .filter(other -> !other.equals(name(page)))
                .forEach(other -> out.append(".BR ").append(escaped(other)).append(" (1)\n"));
        return out.toString();
    }

    private static void append(StringBuilder out, Part part) {
        switch (part) {
            case Part.Usage usage -> verbatim(out.append(".SH SYNOPSIS\n"), usage.lines());
            case Part.Heading heading ->
                out.append(".SH ")
                        .append(escaped(heading.text().toUpperCase(Locale.ROOT)))
                        .append('\n');
            case Part.Paragraph paragraph ->
                out.append(".PP\n").append(escaped(paragraph.text())).append('\n');
            case Part.Verbatim lines -> verbatim(out.append(".PP\n"), lines.lines());
            case Part.Option option -> option(out, option);
        }
    }

    private static void option(StringBuilder out, Part.Option option) {
        out.append(".TP\n");
        if (!option.shortName().isEmpty()) {
            out.append("\\fB").append(escaped(option.shortName())).append("\\fR, ");
        }
        out.append("\\fB").append(escaped(option.name())).append("\\fR");
        if (!option.value().isEmpty()) {
            out.append(" \\fI").append(escaped(option.value())).append("\\fR");
        }
        out.append('\n');
        if (!option.note().isEmpty()) {
            out.append(escaped(option.note())).append(option.text().isEmpty() ? "\n" : "\n.br\n");
        }
        if (!option.text().isEmpty()) {
            out.append(escaped(option.text())).append('\n');
        }
    }

    private static void verbatim(StringBuilder out, List<String> lines) {
        out.append(".nf\n");
        lines.forEach(line -> out.append(escaped(line)).append('\n'));
        out.append(".fi\n");
    }

    /**
     * Escapes a line, which would be a request of troff if it began with a dot or an apostrophe.
     */
    private static String escaped(String text) {
        String plain = text.replace("\\", "\\e").replace("-", "\\-");
        return plain.startsWith(".") || plain.startsWith("'") ? "\\&" + plain : plain;
    }
}
