package io.flockgate.gateway.rest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Key;
import io.flockgate.text.PercentEncoding;
import java.util.Base64;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

class CursorPropertyTest {
    @Property
    void aCursorNeedsNoPercentEncodingAndGivesBackItsKey(@ForAll @Size(max = 256) byte[] bytes) {
        Key key = Key.copyOf(bytes, 0, bytes.length);
        if (key != null) {
            String text = PageQuery.cursor(key);
            assertThat(text).matches("[A-Za-z0-9_-]+");
            assertThat(PercentEncoding.of(text, ISO_8859_1)).isEqualTo(text);
            assertThat(PageQuery.readKey(text.getBytes(ISO_8859_1))).isEqualTo(key);
        }
    }

    @Property
    void anyOtherTextIsNone(@ForAll byte[] text) {
        Key key = PageQuery.readKey(text);
        if (key != null) {
            assertThat(PageQuery.readKey(PageQuery.cursor(key).getBytes(ISO_8859_1)))
                    .isEqualTo(key);
        }
    }

    @Example
    void textOfNoKeyIsNone() {
        for (byte[] none : new byte[][] {{}, {' '}, {'a', '\n'}, new byte[257]}) {
            assertThat(PageQuery.readKey(Base64.getUrlEncoder().encode(none))).isNull();
        }
        for (String text : new String[] {"a", "+/8", "YQ===", "Y", "YQ=", "Y Q", "Y%51", "\u00ff\u00ff"}) {
            assertThat(PageQuery.readKey(text.getBytes(ISO_8859_1))).as(text).isNull();
        }
    }

    @Property
    void aCursorOfHoldersGivesBackItsFence(@ForAll long fence) {
        String text = PageQuery.cursor(fence);
        assertThat(PercentEncoding.of(text, ISO_8859_1)).isEqualTo(text);
        assertThat(PageQuery.readFence(text.getBytes(ISO_8859_1))).hasValue(fence);
    }

    @Example
    void textOfNoFenceIsNone() {
        for (String text :
                new String[] {"", "1", "18a6c3f2b91d400", "18a6c3f2b91d40070", "18A6C3F2B91D4007", "18a6c3f2b91d400 "
                }) {
            assertThat(PageQuery.readFence(text.getBytes(ISO_8859_1))).as(text).isEmpty();
        }
    }
}
