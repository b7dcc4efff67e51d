package io.flockgate.gateway.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.http.RequestBody.Addition;
import io.flockgate.gateway.limits.Budget;
import io.vertx.core.buffer.Buffer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class RequestBodyTest {
    private static final int MIB = 1024 * 1024;

    private static Buffer bytes(int count) {
        return Buffer.buffer(new byte[count]);
    }

    private byte[] read = {};

    private byte[] take(RequestBody body) {
        body.complete();
        return read;
    }

    private static void expectAdded(RequestBody body, int count) {
        assertThat(body.add(bytes(count), false)).isEqualTo(Addition.ADDED);
    }

    @Nested
    class ABody {
        private final RequestBody body = new RequestBody(new Budget(8 * MIB).share(), MIB, whole -> read = whole);

        @Test
        void isWhatCamePieceByPiece() {
            StringBuilder whole = new StringBuilder();
            for (int i = 0; i < 1000; i++) {
                String piece = Integer.toString(i * i).repeat(i % 7);
                whole.append(piece);
                assertThat(body.add(Buffer.buffer(piece), false)).isEqualTo(Addition.ADDED);
            }
            assertThat(new String(take(body), ISO_8859_1)).isEqualTo(whole.toString());
        }

        @Test
        void isEmptyWhenNothingCameAndAfterItWasTaken() {
            assertThat(take(body)).isEmpty();
            expectAdded(body, 10);
            assertThat(take(body)).hasSize(10);
            assertThat(take(body)).isEmpty();
        }

        @Test
        void leavesThePieceAsItIs() {
            Buffer piece = Buffer.buffer("abcd").slice(1, 4);
            assertThat(body.add(piece, false)).isEqualTo(Addition.ADDED);
            assertThat(piece.length()).isEqualTo(3);
            assertThat(new String(take(body), ISO_8859_1)).isEqualTo("bcd");
        }

        @Test
        void mayHaveAMebibyteAndNoByteMore() {
            expectAdded(body, MIB - 1);
            expectAdded(body, 1);
            assertThat(body.add(bytes(1), false)).isEqualTo(Addition.TOO_LARGE);
            expectAdded(body, 0);
            assertThat(take(body)).hasSize(MIB);
        }

        @Test
        void mayNotBeTooLargeInOnePiece() {
            assertThat(body.add(bytes(MIB + 1), false)).isEqualTo(Addition.TOO_LARGE);
            assertThat(take(body)).isEmpty();
        }
    }

    @Nested
    class TheBudget {
        private static final int LARGE = 20_000;

        /** Room for one large body beyond what is free. */
        private final Budget small = new Budget(LARGE);

        private final RequestBody first = new RequestBody(small.share(), MIB, whole -> read = whole);
        private final RequestBody second = new RequestBody(small.share(), MIB, whole -> read = whole);

        @Test
        void refusesALargeBodyWithoutRoom() {
            expectAdded(first, LARGE);
            assertThat(second.add(bytes(LARGE), false)).isEqualTo(Addition.NO_MEMORY);
            expectAdded(second, Budget.FREE_BYTES);
        }

        @Test
        void hasAReserveForOperators() {
            expectAdded(first, LARGE);
            assertThat(second.add(bytes(Budget.FREE_BYTES + 3_000), false)).isEqualTo(Addition.NO_MEMORY);
            assertThat(second.add(bytes(Budget.FREE_BYTES + 3_000), true)).isEqualTo(Addition.ADDED);
        }

        @Test
        void hasRoomAgainAfterABodyIsTakenOrDropped() {
            expectAdded(first, LARGE);
            assertThat(take(first)).hasSize(LARGE);
            expectAdded(second, 100);
            expectAdded(second, LARGE - 100);
            second.drop();
            second.drop();
            assertThat(small.used()).isZero();
        }

        @Test
        void hasRoomAgainAfterABodyThatGrewToBeTooLarge() {
            expectAdded(first, 100);
            expectAdded(first, LARGE - 100);
            assertThat(first.add(bytes(MIB), false)).isEqualTo(Addition.TOO_LARGE);
            first.drop();
            assertThat(small.used()).isZero();
        }
    }
}
