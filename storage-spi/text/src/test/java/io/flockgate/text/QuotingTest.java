package io.flockgate.text;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuotingTest {
    @ParameterizedTest
    @ValueSource(strings = {"listening", "127.0.0.1:6388", "[::1]:6388", "a\\b", "-", "é", "日本", "😀", "a,b;c'd"})
    void plainValuesStayBare(String value) {
        assertThat(appended(value)).isEqualTo(value);
    }

    @Test
    void escapedTextKeepsItsLinesAndQuotesAndNothingThatATerminalObeys() {
        assertThat(Quoting.escaped("no \"key\" ü\nbad\u001b]0;x\u0007\u009b\u202e"))
                .isEqualTo("no \"key\" ü\nbad\\x1b]0;x\\x07\\u009b\\u202e");
    }

    @Test
    void valuesThatCouldBeMistakenAreQuoted() {
        assertThat(appended("")).isEqualTo("\"\"");
        assertThat(appended("a b")).isEqualTo("\"a b\"");
        assertThat(appended("a=b")).isEqualTo("\"a=b\"");
        assertThat(appended("a\"b")).isEqualTo("\"a\\\"b\"");
        assertThat(appended("a \\")).isEqualTo("\"a \\\\\"");
    }

    @Test
    void controlAndInvisibleCharactersAreEscaped() {
        assertThat(appended("a\nb\rc\td")).isEqualTo("\"a\\nb\\rc\\td\"");
        assertThat(appended("\0\u001b[31m\u007f")).isEqualTo("\"\\x00\\x1b[31m\\x7f\"");
        assertThat(appended("\u0085\u00a0\u2028\u202e")).isEqualTo("\"\\u0085\\u00a0\\u2028\\u202e\"");
        assertThat(appended("\ud800")).isEqualTo("\"\\ud800\"");
        assertThat(appended("\udb80\udc00")).isEqualTo("\"\\U000f0000\"");
    }

    @Test
    void aLongValueIsCut() {
        StringBuilder out = new StringBuilder();
        Quoting.append(out, "abcdef", 3);
        assertThat(out).hasToString("abc…");
    }

    private static String appended(String value) {
        StringBuilder out = new StringBuilder();
        Quoting.append(out, value, 100);
        return out.toString();
    }

    @Property
    void anyValueStaysOnOneLineWithinItsQuotes(@ForAll String value) {
        String quoted = Quoting.quoted(value);
        assertThat(quoted).startsWith("\"").endsWith("\"").doesNotContain("\n", "\r");
        String inside =
                quoted.substring(1, quoted.length() - 1).replace("\\\\", "").replace("\\\"", "");
        assertThat(inside).doesNotContain("\"");
    }

    @Property
    void anyBareValueHoldsNothingThatEndsIt(@ForAll String value) {
        StringBuilder out = new StringBuilder();
        Quoting.append(out, value, Integer.MAX_VALUE);
        if (out.charAt(0) != '"') {
            assertThat(out.toString()).isEqualTo(value).isNotEmpty().doesNotContainPattern("[\\s=\"\\p{Cntrl}]");
        }
    }
}
