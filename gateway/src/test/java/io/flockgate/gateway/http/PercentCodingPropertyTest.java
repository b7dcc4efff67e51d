package io.flockgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Chars;

class PercentCodingPropertyTest {
    @Property
    void anyBytesComeBack(@ForAll byte[] bytes) {
        String text = PercentCoding.encode(bytes);
        assertThat(PercentCoding.decode(text)).isEqualTo(bytes);
        assertThat(text).matches("([A-Za-z0-9._~-]|%[0-9A-F]{2})*");
    }

    @Property
    void escapedBytesMeanTheSameInEitherCase(@ForAll byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte b : bytes) {
            text.append((b & 1) == 0 ? "%%%02X".formatted(b) : "%%%02x".formatted(b));
        }
        assertThat(PercentCoding.decode(text.toString())).isEqualTo(bytes);
    }

    @Property
    void whatIsDecodedIsNeverLongerThanItsText(
            @ForAll @Chars({'%', '%', '0', 'a', 'F', 'g', '/'}) @CharRange(from = '\0', to = '\u00ff') String text) {
        byte[] bytes = PercentCoding.decode(text);
        boolean wellFormed = text.matches("(?s)([^%]|%[0-9A-Fa-f]{2})*");
        assertThat(bytes != null).isEqualTo(wellFormed);
        if (bytes != null) {
            long escapes = text.chars().filter(c -> c == '%').count();
            assertThat(bytes).hasSize((int) (text.length() - 2 * escapes));
        }
    }
}
