package io.flockgate.gateway.transcript;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.api.Test;

class TextTest {
    private static final String ONE = "0123456789abcdef0123456789abcdef";
    private static final String TWO = "fedcba98765432100123456789abcdef";

    private final Bindings bindings = new Bindings();

    @Test
    void aTokenIsLearntAndMustComeAgain() {
        assertThat(matches("ok <tok1> 33", "ok " + ONE + " 33")).isTrue();
        assertThat(matches("ok <tok1> 33", "ok " + TWO + " 33")).isFalse();
        assertThat(matches("ok <tok1> 33", "ok " + ONE + " 33")).isTrue();
    }

    @Test
    void twoNamesAreTwoValues() {
        assertThat(matches("ok <tok1> 33", "ok " + ONE + " 33")).isTrue();
        assertThat(matches("ok <tok2> 33", "ok " + ONE + " 33")).isFalse();
        assertThat(matches("ok <tok2> 33", "ok " + TWO + " 33")).isTrue();
    }

    @Test
    void aTokenIs32LowerCaseHexDigits() {
        assertThat(matches("ok <tok1>", "ok " + ONE.toUpperCase(Locale.ROOT))).isFalse();
        assertThat(matches("ok <tok1>", "ok " + ONE.substring(1))).isFalse();
        assertThat(matches("ok <tok1>", "ok " + ONE + "0")).isFalse();
    }

    @Test
    void everyByteOfALineCounts() {
        assertThat(matches("ok", "ok")).isTrue();
        assertThat(matches("ok", "ok ")).isFalse();
        assertThat(matches("ok", "ok\r")).isFalse();
        assertThat(matches("ok", "OK")).isFalse();
        assertThat(matches("a.c", "abc")).isFalse();
    }

    @Test
    void aNumberLiesInItsRange() {
        assertThat(matches("{\"s\":<num 2..5>}", "{\"s\":2}")).isTrue();
        assertThat(matches("{\"s\":<num 2..5>}", "{\"s\":4.75}")).isTrue();
        assertThat(matches("{\"s\":<num 0..5>}", "{\"s\":5e-7}")).isTrue();
        assertThat(matches("{\"s\":<num 2..5>}", "{\"s\":5.01}")).isFalse();
        assertThat(matches("{\"s\":<num 2..5>}", "{\"s\":null}")).isFalse();
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
