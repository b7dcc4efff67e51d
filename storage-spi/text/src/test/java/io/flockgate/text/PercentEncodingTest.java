package io.flockgate.text;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PercentEncodingTest {
    @Test
    void onlyUnreservedCharactersStandForThemselves() {
        StringBuilder expected = new StringBuilder();
        StringBuilder all = new StringBuilder();
        for (char c = 0; c < 0x80; c++) {
            all.append(c);
            boolean unreserved = Character.isLetterOrDigit(c) || "-._~".indexOf(c) >= 0;
            expected.append(unreserved ? String.valueOf(c) : "%%%02X".formatted((int) c));
        }
        assertThat(PercentEncoding.of(all.toString(), UTF_8)).isEqualTo(expected.toString());
    }

    @Test
    void othersAreTheBytesOfTheCharset() {
        assertThat(PercentEncoding.of("\u00e4", UTF_8)).isEqualTo("%C3%A4");
        assertThat(PercentEncoding.of("\u00e4", ISO_8859_1)).isEqualTo("%E4");
    }
}
