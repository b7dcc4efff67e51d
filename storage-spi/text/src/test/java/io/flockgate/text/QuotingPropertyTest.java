package io.flockgate.text;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class QuotingPropertyTest {
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
