package io.flockgate.gateway.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.http.BodyBuffer.Addition;
import io.flockgate.gateway.net.MemoryBudget;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class BodyBufferTest {
    private static final int MIB = 1024 * 1024;
    private static final int FREE = 16 * 1024;

    /** Three quarters of it are for one address. */
    private final MemoryBudget.Share budget = new MemoryBudget(64 * MIB).of("192.0.2.1");

    private static Buffer bytes(int count) {
        return Buffer.buffer(new byte[count]);
    }

    private static void expectAdded(BodyBuffer body, int count) {
        assertThat(body.add(bytes(count))).isEqualTo(Addition.ADDED);
    }

    /** Adds bodies of the maximum size until there is no memory for another. */
    private List<BodyBuffer> fill() {
        List<BodyBuffer> bodies = new ArrayList<>();
        for (BodyBuffer body = new BodyBuffer(budget, MIB);
                body.add(bytes(MIB)) == Addition.ADDED;
                body = new BodyBuffer(budget, MIB)) {
            bodies.add(body);
            assertThat(bodies).hasSizeLessThanOrEqualTo(48);
        }
        return bodies;
    }

    @Nested
    class ABody {
        private final BodyBuffer body = new BodyBuffer(budget, MIB);

        @Test
        void isWhatCamePieceByPiece() {
            StringBuilder whole = new StringBuilder();
            for (int i = 0; i < 1000; i++) {
                String piece = Integer.toString(i * i).repeat(i % 7);
                whole.append(piece);
                assertThat(body.add(Buffer.buffer(piece))).isEqualTo(Addition.ADDED);
            }
            assertThat(new String(body.take(), ISO_8859_1)).isEqualTo(whole.toString());
        }

        @Test
        void isEmptyWhenNothingCameAndAfterItWasTaken() {
            assertThat(body.take()).isEmpty();
            expectAdded(body, 10);
            assertThat(body.take()).hasSize(10);
            assertThat(body.take()).isEmpty();
        }

        @Test
        void leavesThePieceAsItIs() {
            Buffer piece = Buffer.buffer("abcd").slice(1, 4);
            assertThat(body.add(piece)).isEqualTo(Addition.ADDED);
            assertThat(piece.length()).isEqualTo(3);
            assertThat(new String(body.take(), ISO_8859_1)).isEqualTo("bcd");
        }

        @Test
        void mayHaveAMebibyteAndNoByteMore() {
            expectAdded(body, MIB - 1);
            expectAdded(body, 1);
            assertThat(body.add(bytes(1))).isEqualTo(Addition.TOO_LARGE);
            expectAdded(body, 0);
            assertThat(body.take()).hasSize(MIB);
        }

        @Test
        void mayNotBeTooLargeInOnePiece() {
            assertThat(body.add(bytes(MIB + 1))).isEqualTo(Addition.TOO_LARGE);
            assertThat(body.take()).isEmpty();
        }
    }

    @Nested
    class TheMemoryOfAll {
        @Test
        void isEnoughFor48LargeBodiesOfAnAddress() {
            assertThat(fill()).hasSize(48);
        }

        @Test
        void isNotNeededForSmallBodies() {
            assertThat(fill()).hasSize(48);
            BodyBuffer small = new BodyBuffer(budget, MIB);
            for (int i = 0; i < FREE; i++) {
                expectAdded(small, 1);
            }
            assertThat(small.add(bytes(1))).isEqualTo(Addition.NO_MEMORY);
            assertThat(small.take()).hasSize(FREE);
        }

        @Test
        void isGivenBackByABodyThatIsTakenOrDropped() {
            List<BodyBuffer> bodies = fill();
            assertThat(bodies.removeLast().take()).hasSize(MIB);
            bodies.removeLast().drop();
            bodies.addAll(fill());
            assertThat(bodies).hasSize(48);
            bodies.forEach(BodyBuffer::drop);
            bodies.forEach(BodyBuffer::drop);
            assertThat(fill()).hasSize(48);
        }

        @Test
        void isGivenBackByABodyThatGrewToBeTooLarge() {
            for (int i = 0; i < 200; i++) {
                BodyBuffer body = new BodyBuffer(budget, MIB);
                expectAdded(body, 100);
                expectAdded(body, 20_000);
                expectAdded(body, 600_000);
                assertThat(body.add(bytes(MIB))).isEqualTo(Addition.TOO_LARGE);
                body.drop();
            }
            assertThat(fill()).hasSize(48);
        }

        @Test
        void isNotDrawnByWhatIsRefused() {
            List<BodyBuffer> bodies = fill();
            for (int i = 0; i < 100; i++) {
                assertThat(new BodyBuffer(budget, MIB).add(bytes(MIB))).isEqualTo(Addition.NO_MEMORY);
            }
            bodies.forEach(BodyBuffer::drop);
            assertThat(fill()).hasSize(48);
        }
    }
}
