package io.flockgate.gateway.tcp;

import static io.flockgate.gateway.tcp.Frames.bytes;
import static io.flockgate.gateway.tcp.Frames.found;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.tcp.LineDecoder.Step;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class LineDecoderTest {
    private final LineDecoder decoder = new LineDecoder();

    private List<String> take(String text) {
        decoder.append(bytes(text));
        return found(decoder);
    }

    @Test
    void linesAreCountedOverTheConnection() {
        assertThat(take("a\nb\nc\nd\n")).hasSize(1);
        assertThat(decoder.linesFound()).isEqualTo(4);
        assertThat(take("e")).isEmpty();
        assertThat(decoder.linesFound()).isEqualTo(4);
    }

    @Nested
    class ATooLongLine {
        @Test
        void isReportedOnceThenThrownAwayToItsEnd() {
            assertThat(take("x".repeat(266))).containsExactly(Frames.TOO_LONG);
            assertThat(take("x".repeat(10_000))).isEmpty();
            assertThat(decoder.unread()).isZero();
            assertThat(decoder.isMidFrame()).isTrue();
            assertThat(take("xx\n")).containsExactly(Frames.ENDED);
            assertThat(decoder.isMidFrame()).isFalse();
        }

        @Test
        void takesWhatWasSentBehindItAlong() {
            assertThat(take("x".repeat(266) + "\nping\n_\n_\n")).containsExactly(Frames.TOO_LONG, Frames.ENDED);
            assertThat(decoder.unread()).isZero();
        }
    }

    @Nested
    class TheArray {
        @Test
        void isGivenUpWhenNothingIsUnread() {
            assertThat(take("auth\n_\n" + "t".repeat(60_000))).isEmpty();
            assertThat(take("\n")).hasSize(1);
            decoder.trim();
            assertThat(decoder.bytes()).isEmpty();
        }

        @Test
        void isGivenUpWhileATooLongLineGoesOn() {
            assertThat(take("x".repeat(60_000))).containsExactly(Frames.TOO_LONG);
            decoder.trim();
            assertThat(decoder.bytes()).isEmpty();
            assertThat(take("x\na\nb\nc\n")).containsExactly(Frames.ENDED);
        }

        @Test
        void ofALargeChunkIsNotKeptForTheFewBytesLeft() {
            assertThat(take("a\nb\nc\n".repeat(10_000) + "l\nkey\r\n1")).hasSize(10_000);
            decoder.trim();
            assertThat(decoder.bytes()).hasSize(8);
            assertThat(take("0\n")).containsExactly("l|key|10");
        }

        @Test
        void ofItsOwnIsNotKeptForTheFewBytesLeft() {
            assertThat(take("l")).isEmpty();
            assertThat(take("\nkey\n0\n" + "a\nb\nc\n".repeat(10_000) + "l\nkey\r\n1"))
                    .hasSize(10_001);
            decoder.trim();
            assertThat(decoder.bytes()).hasSizeLessThan(1000);
            assertThat(take("0\n")).containsExactly("l|key|10");
        }

        @Test
        void keepsLittleMoreThanWhatIsUnread() {
            assertThat(take("auth\n_\n" + "t".repeat(6_000))).isEmpty();
            decoder.append(bytes("t".repeat(6_000) + "\n" + "l\nkey\n0\n".repeat(400)));
            assertThat(decoder.next()).isEqualTo(LineDecoder.Step.FRAME);
            decoder.trim();
            assertThat(decoder.unread()).isEqualTo(3_200);
            assertThat(decoder.kept()).isLessThan(7_000);
            assertThat(take("")).hasSize(400);
        }

        @Test
        void growsLittleMoreThanTheLongestFrame() {
            assertThat(take("auth\n_\n")).isEmpty();
            for (int i = 0; i < 65_536; i++) {
                assertThat(take("t")).isEmpty();
                assertThat(decoder.bytes().length).isLessThanOrEqualTo(2 * LineDecoder.AUTH_LINE_CAP + 2);
                decoder.trim();
            }
            assertThat(take("\n")).hasSize(1);
        }

        /**
         * Growing by doubling copies each byte at most twice and reads it once. Otherwise this
         * would take minutes.
         */
        @Test
        void takesVeryManySingleBytesWithoutLookingAgain() {
            byte[][] single = {bytes("t"), bytes("\n")};
            decoder.append(bytes("auth\n_\n"));
            for (int round = 0; round < 20; round++) {
                for (int i = 0; i < 65_536; i++) {
                    decoder.append(single[0]);
                    assertMore();
                    decoder.trim();
                }
                decoder.append(single[1]);
                assertThat(decoder.next()).isEqualTo(Step.FRAME);
                decoder.append(bytes("auth\n_\n"));
            }
        }

        private void assertMore() {
            if (decoder.next() != Step.MORE) {
                throw new AssertionError("found something");
            }
        }

        @Test
        void ofTheCallerIsNeverWrittenTo() {
            byte[] first = bytes("l\nke");
            decoder.append(first);
            assertThat(found(decoder)).isEmpty();
            assertThat(take("y\n1\n")).containsExactly("l|key|1");
            assertThat(first).isEqualTo(bytes("l\nke"));
        }
    }

    @Test
    void unreadCountsWhatIsNotPartOfAFoundFrame() {
        assertThat(decoder.unread()).isZero();
        decoder.append(bytes("a\nb\nc\nd\ne"));
        assertThat(decoder.unread()).isEqualTo(9);
        assertThat(decoder.next()).isEqualTo(Step.FRAME);
        assertThat(decoder.unread()).isEqualTo(3);
        assertThat(decoder.next()).isEqualTo(Step.MORE);
        assertThat(decoder.unread()).isEqualTo(3);
        assertThat(decoder.isMidFrame()).isTrue();
        decoder.append(bytes("\nf\n"));
        assertThat(decoder.unread()).isEqualTo(6);
        assertThat(decoder.next()).isEqualTo(Step.FRAME);
        assertThat(decoder.unread()).isZero();
        assertThat(decoder.isMidFrame()).isFalse();
    }
}
