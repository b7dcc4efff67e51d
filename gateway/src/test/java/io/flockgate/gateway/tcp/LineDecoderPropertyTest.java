package io.flockgate.gateway.tcp;

import static io.flockgate.gateway.tcp.Frames.bytes;
import static io.flockgate.gateway.tcp.Frames.found;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

class LineDecoderPropertyTest {
    private static final int LARGEST_CHUNK = 400;

    /** Lines of every kind, especially around their caps, with and without an end. */
    @Provide
    Arbitrary<String> streams() {
        Arbitrary<String> any = Arbitraries.strings()
                .withChars("\r\nxauth 1")
                .withCharRange('\0', '\u00ff')
                .ofMaxLength(20);
        Arbitrary<String> frame =
                Arbitraries.of("l\nk\n1\n", "auth\n_\n", "auth\r\n_\r\n", "\n", "\r\n", "auth\n", "\r");
        Arbitrary<String> long_ = Arbitraries.integers().between(250, 260).map("x"::repeat);
        Arbitrary<String> longer =
                Arbitraries.integers().between(65_530, 65_540).map(length -> "auth\n_\n" + "x".repeat(length));
        return Arbitraries.frequencyOf(Tuple.of(6, any), Tuple.of(6, frame), Tuple.of(3, long_), Tuple.of(1, longer))
                .list()
                .ofMaxSize(12)
                .map(parts -> String.join("", parts));
    }

    @Property(tries = 500)
    void howeverAStreamIsSplitTheSameIsFound(@ForAll("streams") String stream, @ForAll Random random) {
        List<String> expected = upToTheEnd(Frames.model(stream));
        assertThat(upToTheEnd(whole(stream))).isEqualTo(expected);
        LineDecoder decoder = new LineDecoder();
        List<String> found = new ArrayList<>();
        int largest = 1 + random.nextInt(random.nextBoolean() ? 5 : LARGEST_CHUNK);
        for (int at = 0; at < stream.length() && !found.contains(Frames.ENDED); ) {
            int to = Math.min(stream.length(), at + 1 + random.nextInt(largest));
            decoder.append(bytes(stream.substring(at, to)));
            at = to;
            if (random.nextInt(4) > 0) {
                found.addAll(found(decoder));
                assertThat(decoder.unread()).isLessThanOrEqualTo(LineDecoder.AUTH_LINE_CAP + 2 * 257);
            }
            if (random.nextBoolean()) {
                decoder.trim();
            }
            assertThat(decoder.bytes().length)
                    .isLessThanOrEqualTo(2 * Math.max(decoder.unread(), 1) + 3 * LineDecoder.AUTH_LINE_CAP);
        }
        found.addAll(found(decoder));
        assertThat(upToTheEnd(found)).isEqualTo(expected);
    }

    private static List<String> whole(String stream) {
        LineDecoder decoder = new LineDecoder();
        decoder.append(bytes(stream));
        return found(decoder);
    }

    /** The connection ends with a line that was too long, so what follows it is irrelevant. */
    private static List<String> upToTheEnd(List<String> found) {
        int end = found.indexOf(Frames.ENDED);
        return end < 0 ? found : found.subList(0, end + 1);
    }
}
