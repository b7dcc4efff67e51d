package io.flockgate.gateway.rest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OperatorReasonTest {
    @ParameterizedTest
    @ValueSource(
            strings = {"", " ", "\u00a0", "\u200b", "\u2800", "\u3164", "\u0000", "\u202e\u2066", "\u0301", "\ue000"})
    void whatShowsNothingIsNoReason(String text) {
        assertThat(OperatorReason.refusal(text)).isNotNull();
        assertThat(OperatorReason.refusalOfOptional(text)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"disk", "\u200bx", "\u4fee", "!", "\ud83d\udd27"})
    void oneVisibleCharacterSuffices(String text) {
        assertThat(OperatorReason.refusal(text)).isNull();
    }
}
