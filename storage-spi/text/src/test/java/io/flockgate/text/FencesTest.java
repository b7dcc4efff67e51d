package io.flockgate.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The two forms of a fence. */
final class FencesTest {
    @ParameterizedTest
    @CsvSource({
        "00000000000000ff, 255",
        "00000000000000FF, 255",
        "1000000000000000, 1152921504606846976",
        "255, 255",
        "ffffffffffffffff, -1",
        "18446744073709551615, -1",
        "0, 0",
    })
    void bothFormsAreRead(String text, long fence) {
        assertThat(Fences.parse(text)).hasValue(fence);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "+5", "-1", "ff", "18446744073709551616", "000000000000000g", "1 ", "٣"})
    void otherTextIsNoFence(String text) {
        assertThat(Fences.parse(text)).isEmpty();
    }

    @Test
    void bothFormsAreWritten() {
        assertThat(Fences.hex(-1)).isEqualTo("ffffffffffffffff");
        assertThat(Fences.decimal(-1)).isEqualTo("18446744073709551615");
    }
}
