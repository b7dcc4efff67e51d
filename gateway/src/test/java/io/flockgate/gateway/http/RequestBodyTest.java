package io.flockgate.gateway.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.http.RequestBody.Addition;
import io.flockgate.gateway.limits.Budget;
import io.vertx.core.buffer.Buffer;
import org.junit.jupiter.api.Test;

class RequestBodyTest {
    private static final int MIB = 1024 * 1024;
    private static final int LARGE = 20_000;

    private byte[] read = {};
    private final RequestBody body = body(new Budget(8 * MIB));

    /** Has room for one large body beyond what is free. */
    private final Budget small = new Budget(LARGE);

    private final RequestBody first = body(small);
    private final RequestBody second = body(small);

    private RequestBody body(Budget budget) {
        return new RequestBody(budget.share(), MIB, whole -> read = whole);
    }

    private static Addition add(RequestBody body, int count, boolean operator) {
        return body.add(Buffer.buffer(new byte[count]), operator);
    }

    private static void expectAdded(RequestBody body, int count) {
        assertThat(add(body, count, false)).isEqualTo(Addition.ADDED);
    }

    private byte[] take(RequestBody body) {
        body.complete();
        return read;
    }

    @Test
    void aBodyIsWhatCamePieceByPiece() {
        StringBuilder whole = new StringBuilder();
        for (int i = 0; i < 1000; i++) {
            String text = Integer.toString(i * i).repeat(i % 7);
            whole.append(text);
            Buffer piece = Buffer.buffer("." + text).slice(1, 1 + text.length());
            assertThat(body.add(piece, false)).isEqualTo(Addition.ADDED);
            assertThat(piece.length()).as("the piece stays as it is").isEqualTo(text.length());
        }
        assertThat(new String(take(body), ISO_8859_1)).isEqualTo(whole.toString());
    }

    @Test
    void aBodyIsEmptyWhenNothingCameAndAfterItWasTaken() {
        assertThat(take(body)).isEmpty();
        expectAdded(body, 10);
        assertThat(take(body)).hasSize(10);
        assertThat(take(body)).isEmpty();
    }

    @Test
    void aBodyMayHaveAMebibyteAndNoByteMore() {
        assertThat(add(body, MIB + 1, false)).isEqualTo(Addition.TOO_LARGE);
        expectAdded(body, MIB - 1);
        expectAdded(body, 1);
        assertThat(add(body, 1, false)).isEqualTo(Addition.TOO_LARGE);
        expectAdded(body, 0);
        assertThat(take(body)).hasSize(MIB);
    }

    @Test
    void aLargeBodyWithoutRoomIsRefusedUnlessItIsOfAnOperator() {
        expectAdded(first, LARGE);
        assertThat(add(second, Budget.FREE_BYTES + 3_000, false)).isEqualTo(Addition.NO_MEMORY);
        expectAdded(second, Budget.FREE_BYTES);
        assertThat(add(second, 3_000, true)).isEqualTo(Addition.ADDED);
    }

    @Test
    void aBodyThatIsTakenOrDroppedMakesRoom() {
        expectAdded(first, 100);
        expectAdded(first, LARGE - 100);
        assertThat(take(first)).hasSize(LARGE);
        expectAdded(second, LARGE);
        assertThat(add(second, MIB, false)).isEqualTo(Addition.TOO_LARGE);
        second.drop();
        second.drop();
        assertThat(small.used()).isZero();
    }
}
