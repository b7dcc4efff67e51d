package io.flockgate.gateway.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.text.PercentEncoding;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Chars;

class RequestTargetPropertyTest {
    private static String encoded(byte[] bytes) {
        return PercentEncoding.of(new String(bytes, ISO_8859_1), ISO_8859_1);
    }

    @Property
    void anyBytesComeBack(@ForAll byte[] bytes) {
        String text = encoded(bytes);
        assertThat(RequestTarget.decode(text)).isEqualTo(bytes);
        assertThat(text).matches("([A-Za-z0-9._~-]|%[0-9A-F]{2})*");
    }

    @Property
    void escapedBytesMeanTheSameInEitherCase(@ForAll byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte b : bytes) {
            text.append((b & 1) == 0 ? "%%%02X".formatted(b) : "%%%02x".formatted(b));
        }
        assertThat(RequestTarget.decode(text.toString())).isEqualTo(bytes);
    }

    /** Digits of other scripts are none. */
    @Property
    void onlyTwoHexDigitsAreAnEscape(
            @ForAll @Chars({'%', '%', '0', 'a', 'F', 'g', '\uff11', '\u0661'}) @CharRange(from = '\0', to = '\u00ff')
                    String text) {
        byte[] bytes = RequestTarget.decode(text);
        boolean wellFormed = text.matches("(?s)([^%]|%[0-9A-Fa-f]{2})*");
        assertThat(bytes != null).isEqualTo(wellFormed);
        if (bytes != null) {
            long escapes = text.chars().filter(c -> c == '%').count();
            assertThat(bytes).hasSize((int) (text.length() - 2 * escapes));
        }
    }

    @Example
    void everythingElseStandsForItself() {
        assertThat(RequestTarget.decode("a+b~\u00e4")).isEqualTo("a+b~\u00e4".getBytes(ISO_8859_1));
    }

    @Example
    void onlyLettersDigitsAndFourMarksAreWrittenAsTheyAre() {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        String plain = encoded(all).replaceAll("%[0-9A-F]{2}", "");
        assertThat(plain).isEqualTo("-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~");
    }
}
