package io.flockgate.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenTest {
    private static final String WRITTEN = "0123456789abcdeffedcba9876543210";

    private static Token parse(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        return Token.parse(bytes, 0, bytes.length);
    }

    @Test
    void theFenceIsWrittenFirst() {
        Token token = new Token(0x0123456789abcdefL, 0xfedcba9876543210L);

        assertThat(token.toHex()).isEqualTo(WRITTEN);
        assertThat(parse(WRITTEN)).isEqualTo(token);
    }

    @Test
    void smallNumbersKeepTheirZeros() {
        assertThat(new Token(1, 2).toHex()).isEqualTo("00000000000000010000000000000002");
        assertThat(parse("00000000000000010000000000000002")).isEqualTo(new Token(1, 2));
    }

    @Test
    void writtenFencesSortAsTheirUnsignedNumbers() {
        assertThat(new Token(-1, 0).toHex()).isGreaterThan(new Token(Long.MAX_VALUE, 0).toHex());
        assertThat(new Token(10, 0).toHex()).isGreaterThan(new Token(9, 0).toHex());
    }

    @Test
    void aTokenIsReadAndWrittenAnywhereInAnArray() {
        byte[] target = new byte[40];
        Token.write(7, -8, target, 5);

        assertThat(Token.parse(target, 5, 37)).isEqualTo(new Token(7, -8));
        assertThat(target[4]).isZero();
        assertThat(target[37]).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0",
                "0123456789abcdeffedcba987654321",
                "0123456789abcdeffedcba98765432100",
                "0123456789ABCDEFFEDCBA9876543210",
                "0123456789abcdeFfedcba9876543210",
                "0123456789abcdeffedcba987654321g",
                "g123456789abcdeffedcba9876543210",
                "0123456789abcde:fedcba9876543210",
                "0123456789abcde/fedcba9876543210",
                "0123456789abcde`fedcba9876543210",
                "0x23456789abcdeffedcba9876543210",
                " 123456789abcdeffedcba9876543210",
                "-123456789abcdeffedcba9876543210",
                "\u00e1123456789abcdeffedcba987654321",
                "00000000000000000000000000000000"
            })
    void whatIsNoTokenIsHeldByNobody(String text) {
        assertThat(parse(text)).isEqualTo(Token.NEVER_ISSUED);
    }

    @Test
    void everyDigitIsReadInEveryPlace() {
        for (int place = 0; place < Token.HEX_DIGITS; place++) {
            for (char digit : "0123456789abcdef".toCharArray()) {
                String text = "1".repeat(place) + digit + "1".repeat(Token.HEX_DIGITS - 1 - place);
                assertThat(parse(text).toHex()).isEqualTo(text);
            }
        }
    }

    @Test
    void bothHalvesCount() {
        Token token = new Token(5, 6);

        assertThat(token).isEqualTo(new Token(5, 6)).hasSameHashCodeAs(new Token(5, 6));
        assertThat(token)
                .isNotEqualTo(new Token(5, 7))
                .isNotEqualTo(new Token(4, 6))
                .isNotEqualTo(new Token(6, 5));
        assertThat(token.matches(5, 6)).isTrue();
        assertThat(token.matches(5, 6 | Long.MIN_VALUE)).isFalse();
        assertThat(token.matches(6, 5)).isFalse();
    }

    @Test
    void theSecretHalfIsNotShown() {
        assertThat(new Token(-1, 0x1234_5678_9abcL).toString())
                .isEqualTo("Token[fence=18446744073709551615]")
                .doesNotContain("123456789abc");
    }
}
