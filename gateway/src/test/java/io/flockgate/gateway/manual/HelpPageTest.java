package io.flockgate.gateway.manual;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.manual.HelpPage.Part;
import java.util.List;
import org.junit.jupiter.api.Test;

class HelpPageTest {
    private static final String TEXT = """
            Usage: flockgate dig <hole> [options]
                   flockgate dig --help

            Digs a hole. It may be
            deep.

            Where to dig
              --depth <metres>            HOLE_DEPTH, default 2
                  How deep: with -1 it's a heap.
              --map <file>                A map. Must be
                                          readable.
              -h, --help                  Print this text.

            Exit status: 0 done.

            Examples:
              flockgate dig a\\b
              .hidden
            """;

    private final HelpPage page = HelpPage.of("dig", TEXT);

    @Test
    void aHelpTextFallsIntoItsParts() {
        assertThat(page.parts())
                .containsExactly(
                        new Part.Usage(List.of("flockgate dig <hole> [options]", "flockgate dig --help")),
                        new Part.Paragraph("Digs a hole. It may be deep."),
                        new Part.Heading("Where to dig"),
                        new Part.Option(
                                "--depth", "", "<metres>", "HOLE_DEPTH, default 2", "How deep: with -1 it's a heap."),
                        new Part.Option("--map", "", "<file>", "", "A map. Must be readable."),
                        new Part.Option("--help", "-h", "", "", "Print this text."),
                        new Part.Paragraph("Exit status: 0 done."),
                        new Part.Paragraph("Examples:"),
                        new Part.Verbatim(List.of("  flockgate dig a\\b", "  .hidden")));
        assertThat(page.summary()).isEqualTo("Digs a hole");
    }

    @Test
    void aManPageShowsEachPartAndTakesNoTextForAnOrder() {
        assertThat(ManPage.render(page, "1.2", List.of("flockgate", "flockgate-dig")))
                .isEqualTo("""
                .TH FLOCKGATE-DIG 1 "" "Flockgate 1.2" "Flockgate"
                .SH NAME
                flockgate-dig \\- Digs a hole
                .SH SYNOPSIS
                .nf
                flockgate dig <hole> [options]
                flockgate dig \\-\\-help
                .fi
                .SH DESCRIPTION
                .PP
                Digs a hole. It may be deep.
                .SH WHERE TO DIG
                .TP
                \\fB\\-\\-depth\\fR \\fI<metres>\\fR
                HOLE_DEPTH, default 2
                .br
                How deep: with \\-1 it's a heap.
                .TP
                \\fB\\-\\-map\\fR \\fI<file>\\fR
                A map. Must be readable.
                .TP
                \\fB\\-h\\fR, \\fB\\-\\-help\\fR
                Print this text.
                .PP
                Exit status: 0 done.
                .PP
                Examples:
                .PP
                .nf
                  flockgate dig a\\eb
                  .hidden
                .fi
                .SH SEE ALSO
                .BR flockgate (1)
                """);
    }

    @Test
    void aQuoteInAHelpTextEndsNoQuoteOfAShell() {
        HelpPage server = HelpPage.of(
                "serve", "Usage: flockgate\n\nServes Go's [clients]: many.\n\n  --it <x>   It's \\ a [b].\n");
        Completions completions = new Completions(List.of(HelpPage.of("", ""), server, page));
        assertThat(completions.zsh()).contains("'*--it[It'\\''s \\ a (b)]:value:'");
        assertThat(completions.fish()).contains("-l it -x -d 'It\\'s \\\\ a [b]'");
        assertThat(completions.bash()).contains("files='--map'", "values='--depth --map'");
    }
}
