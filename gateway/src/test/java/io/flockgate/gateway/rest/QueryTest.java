package io.flockgate.gateway.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueryTest {
    @Test
    void valuesAreDecodedAndTheLastOneCounts() {
        Query query = Query.parse("reason=a&reason=%C3%A4+b&force");
        assertThat(query.value("reason")).contains("\u00e4 b");
        assertThat(query.value("force")).contains("");
        assertThat(query.value("fence")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "reason=%ff | : reason must be UTF-8, percent-encoded",
                "force=true&reason=%C3 | : reason must be UTF-8, percent-encoded",
                "reason=%2 | : reason must be UTF-8, percent-encoded",
                "%ff=x | ''",
                "<img>=%ff | ''"
            })
    void aFaultNamesTheParameter(String text, String named) {
        assertThatThrownBy(() -> Query.parse(text))
                .isInstanceOf(FaultException.class)
                .hasMessage("malformed query" + named);
    }

    @Test
    void aFaultInAParameterOfBytesNamesItToo() {
        assertThatThrownBy(() -> Parameters.parse("limit=1&prefix=%x"))
                .hasMessage("malformed query: prefix must be percent-encoded");
        assertThatThrownBy(() -> Parameters.parse("a".repeat(41) + "=%x")).hasMessage("malformed query");
    }
}
