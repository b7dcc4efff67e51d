package io.flockgate.gateway.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.gateway.http.PercentCoding;
import io.flockgate.gateway.rest.OperatorRoutes.OperatorReason;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OperatorReasonTest {
    private static String reason(String text, boolean required) {
        return OperatorReason.of(Query.parse("reason=" + PercentCoding.encode(text.getBytes(UTF_8))), required);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\u00a0", "\u200b", "\u0000", "\u202e\u2066", "\ue000"})
    void whatShowsNothingIsNoReason(String text) {
        assertThatThrownBy(() -> reason(text, true)).hasMessageStartingWith("reason required");
        assertThat(reason(text, false)).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"disk", "\u200bx", "\u4fee", "!", "\ud83d\udd27"})
    void oneVisibleCharacterSuffices(String text) {
        assertThat(reason(text, true)).isEqualTo(text);
    }
}
