package io.flockgate.gateway.tcp;

import static io.flockgate.gateway.tcp.Frames.bytes;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** FieldsPropertyTest compares splitting, trimming and numbers with models. */
class FieldsTest {
    private final Fields fields = new Fields();

    private String field(int number) {
        return Frames.text(Arrays.copyOfRange(fields.bytes(), fields.from(number), fields.to(number)));
    }

    private void split(byte[] bytes) {
        fields.split(bytes, 0, bytes.length);
    }

    private void trim(byte[] bytes) {
        fields.trim(bytes, 0, bytes.length);
    }

    @Test
    void whiteSpaceIsExactlyTheProtocolsSetOfCodePoints() {
        Set<Integer> separating = new TreeSet<>();
        Set<Integer> trimmed = new TreeSet<>();
        for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
            if (c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE) {
                String text = Character.toString(c);
                split(("a" + text + "b").getBytes(UTF_8));
                if (fields.count() == 2) {
                    separating.add(c);
                }
                trim((text + "a" + text).getBytes(UTF_8));
                if (fields.to(0) - fields.from(0) == 1) {
                    trimmed.add(c);
                }
            }
        }
        assertThat(separating)
                .containsExactly(
                        0x9, 0xa, 0xb, 0xc, 0xd, 0x20, 0x85, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004,
                        0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000);
        assertThat(trimmed).isEqualTo(separating);
    }

    @Test
    void splittingForgetsTheLineBefore() {
        split(bytes("1 2 3"));
        split(bytes("4"));
        assertThat(fields.count()).isOne();
        assertThat(field(0)).isEqualTo("4");
    }
}
