package io.flockgate.gateway.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.gateway.http.FaultException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueryTest {
    @Test
    void valuesAreDecodedAndTheLastOneCounts() {
        Query query = Query.parse("reason=a&reason=%C3%A4+b&force");
        assertThat(query.text("reason")).isEqualTo("\u00e4 b");
        assertThat(query.bytes("reason")).isEqualTo("\u00e4+b".getBytes(UTF_8));
        assertThat(query.text("force")).isEmpty();
        assertThat(query.text("fence")).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "unknown=%ff | : unknown must be UTF-8, percent-encoded",
                "reason=%ff | : reason must be UTF-8, percent-encoded",
                "force=true&reason=%C3 | : reason must be UTF-8, percent-encoded",
                "reason=%2 | : reason must be percent-encoded",
                "limit=1&prefix=%x | : prefix must be percent-encoded",
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=%x | ''",
                "%ff=x | ''",
                "<img>=%f | ''"
            })
    void aFaultNamesTheParameter(String text, String named) {
        assertThatThrownBy(() -> Query.parseText(text))
                .isInstanceOf(FaultException.class)
                .hasMessage("malformed query" + named);
    }
}
