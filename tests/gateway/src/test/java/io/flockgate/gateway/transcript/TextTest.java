package io.flockgate.gateway.transcript;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextTest {
    private static final String ONE = "0123456789abcdef0123456789abcdef";
    private static final String TWO = "fedcba98765432100123456789abcdef";

    private final Bindings bindings = new Bindings();

    /** The first token is known. A number lies in its range, and every byte counts. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ok <tok1> 33 | ok " + ONE + " 33 | true",
                "ok <tok1> 33 | ok " + TWO + " 33 | false",
                "ok <tok2> 33 | ok " + ONE + " 33 | false",
                "ok <tok2> 33 | ok " + TWO + " 33 | true",
                "<tok2> | 0123456789ABCDEF0123456789ABCDEF | false",
                "<tok2> | 0123456789abcdef0123456789abcde | false",
                "<tok2> | " + TWO + "0 | false",
                "ok | ok | true",
                "ok | 'ok ' | false",
                "ok | 'ok\r' | false",
                "ok | OK | false",
                "a.c | abc | false",
                "{\"s\":<num 2..5>} | {\"s\":2} | true",
                "{\"s\":<num 2..5>} | {\"s\":4.75} | true",
                "{\"s\":<num 0..5>} | {\"s\":5e-7} | true",
                "{\"s\":<num 2..5>} | {\"s\":5.01} | false",
                "{\"s\":<num 2..5>} | {\"s\":null} | false",
                "{\"s\":<age>} | {\"s\":0.5} | true",
                "{\"s\":<age>} | {\"s\":60} | false",
                "{\"s\":<age>} | {\"s\":-1} | false",
                "{\"s\":<left 33>} | {\"s\":32.5} | true",
                "{\"s\":<left 33>} | {\"s\":33.01} | false",
                "{\"s\":<left 33>} | {\"s\":10} | false"
            })
    void aLineIsWhatWasExpected(String expected, String line, boolean same) {
        assertThat(matches("<tok1>", ONE)).isTrue();
        assertThat(matches(expected, line)).isEqualTo(same);
    }

    @Test
    void aKnownTokenIsSentWholeOrChanged() {
        assertThat(matches("<tok1>", ONE)).isTrue();

        assertThat(fill("<tok1>")).isEqualTo(ONE);
        assertThat(fill("<tok1:upper>")).isEqualTo("0123456789ABCDEF0123456789ABCDEF");
        assertThat(fill("<tok1:cut>")).isEqualTo("0123456789abcdef0123456789abcde");
        assertThat(fill("<tok1:fence>")).isEqualTo("0123456789abcdef");
    }

    private boolean matches(String expected, String line) {
        return TextParser.parse(expected).matches(line, bindings);
    }

    private String fill(String text) {
        return TextParser.parse(text).fill(bindings);
    }
}
