package io.flockgate.gateway.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PercentCodingTest {
    @ParameterizedTest
    @CsvSource({
        "%41, 41",
        "%4a%4A, 4a4a",
        "a+b, 612b62",
        "%2F%2f, 2f2f",
        "%00, 00",
        "%ff, ff",
        "%25%34%31, 253431",
        "%2541, 253431",
        "x%7Ey, 787e79",
        "\u00e4, e4",
    })
    void anEscapeStandsForOneByteAndEverythingElseForItself(String text, String hex) {
        assertThat(PercentCoding.decode(text)).asHexString().isEqualToIgnoringCase(hex);
    }

    /** The property test has those of Latin-1. */
    @ParameterizedTest
    @ValueSource(strings = {"%", "%4", "%\uff11\uff11", "%4\u0661"})
    void aPercentSignWithoutTwoHexDigitsIsNotDecoded(String text) {
        assertThat(PercentCoding.decode(text)).isNull();
    }

    @Test
    void onlyLettersDigitsAndFourMarksAreWrittenAsTheyAre() {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        String plain = PercentCoding.encode(all).replaceAll("%[0-9A-F]{2}", "");
        assertThat(plain).isEqualTo("-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~");
    }

    @Test
    void escapesAreWrittenInUpperCase() {
        assertThat(PercentCoding.encode("a/b \u00ff+%".getBytes(ISO_8859_1))).isEqualTo("a%2Fb%20%FF%2B%25");
    }
}
