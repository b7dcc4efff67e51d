package io.flockgate.storage.memory.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.flockgate.storage.Token;
import io.flockgate.storage.memory.journal.FenceCounter.Salts;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FenceCounterTest {
    private static final long RANGE = FenceCounter.RANGE;

    /** The ceilings that were requested. */
    private final List<Long> requested = new ArrayList<>();

    private final FenceCounter counter = FenceCounter.durable(requested::add);

    /** Begins with a first range that is durable. */
    private void begin(long clock, long recovered) throws IOException {
        counter.raiseTo(counter.begin(clock, recovered));
    }

    private long issue(long count) {
        long last = 0;
        for (long i = 0; i < count; i++) {
            last = counter.nextFence();
        }
        return last;
    }

    @Test
    @DisplayName("InMemory_Monotonic, and the sample of a token")
    void tokensAre32LowerHexDigitsInGrantOrder() {
        FenceCounter memory = FenceCounter.inMemory(1_764_547_200_000_000_000L);
        String first = new Token(memory.nextFence(), memory.nextSalt()).toHex();
        String second = new Token(memory.nextFence(), memory.nextSalt()).toHex();

        assertThat(first).matches("[0-9a-f]{32}").startsWith("187cee5455690001");
        assertThat(second).startsWith("187cee5455690002");
        assertThat(second.substring(16)).isNotEqualTo(first.substring(16));
        assertThat(memory.failureReason()).isEmpty();
        assertThat(FenceCounter.inMemory(-1).nextFence())
                .as("a clock before 1970")
                .isEqualTo(1);
    }

    @Test
    void numbersAboveTheSignedRangeAreOrdinary() {
        FenceCounter memory = FenceCounter.inMemory(Long.MAX_VALUE);

        assertThat(memory.nextFence()).isEqualTo(Long.MIN_VALUE);
        assertThat(memory.nextFence()).isEqualTo(Long.MIN_VALUE + 1);
    }

    @Test
    @DisplayName("FallbackSeedFloors: the greater of ceiling and clock")
    void beginsAboveTheGreaterOfClockAndCeiling() throws IOException {
        begin(50, 100);
        assertThat(counter.nextFence()).isEqualTo(101);
        begin(150, 100);
        assertThat(counter.nextFence()).isEqualTo(151);
        begin(150, -2 * RANGE);
        assertThat(counter.nextFence()).isEqualTo(-2 * RANGE + 1);
    }

    @Test
    @DisplayName("OverflowRejected: no wrap at run time")
    void theLastWholeRangeCanBeUsedUpAndThenNothing() throws IOException {
        begin(5, -RANGE - 1);

        assertThat(issue(RANGE)).isEqualTo(-1);
        assertThat(counter.nextFence()).isZero();
        assertThat(requested).isEmpty();
        assertThat(counter.failureReason().orElseThrow()).contains("no room for another range");
    }

    @Test
    @DisplayName("★27 PersistsAhead: nothing is issued above a ceiling that is not durable")
    void nothingIsIssuedBeforeItsRangeIsDurable() throws IOException {
        long first = counter.begin(0, 0);
        assertThat(counter.nextFence()).isZero();
        assertThat(counter.failureReason()).hasValue("the next range of fences is being made durable");
        counter.raiseTo(first);
        assertThat(counter.failureReason()).isEmpty();

        assertThat(issue(RANGE)).isEqualTo(RANGE);
        assertThat(counter.nextFence()).isZero();
        counter.raiseTo(2 * RANGE);
        assertThat(counter.nextFence()).isEqualTo(RANGE + 1);
    }

    @Test
    @DisplayName("★27 ExtendsAcrossRange: asked once at half, without a gap")
    void theRequestComesAheadOfNeed() throws IOException {
        begin(0, 0);
        assertThat(issue(RANGE / 2)).isEqualTo(RANGE / 2);
        assertThat(requested).as("asked while more than half is left").isEmpty();

        assertThat(issue(10)).isEqualTo(RANGE / 2 + 10);
        assertThat(requested).containsExactly(2 * RANGE);
        counter.raiseTo(2 * RANGE);

        assertThat(issue(RANGE)).isEqualTo(RANGE / 2 + 10 + RANGE);
        assertThat(requested).containsExactly(2 * RANGE, 3 * RANGE);
    }

    @Test
    @DisplayName("Close_Idempotent, and no fence after it")
    void aClosedCounterIssuesNothing() throws IOException {
        begin(5, 0);
        counter.close();
        counter.close();
        counter.raiseTo(10 * RANGE);

        assertThat(counter.nextFence()).isZero();
        assertThat(counter.failureReason()).hasValue("the fence counter is closed");
    }

    @Test
    @DisplayName("Concurrent: no number twice, none left out")
    void threadsShareOneSequence() throws Exception {
        FenceCounter memory = FenceCounter.inMemory(0);
        try (ExecutorService pool = Executors.newFixedThreadPool(4)) {
            List<Future<long[]>> results = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                results.add(pool.submit(() -> {
                    long[] own = new long[50_000];
                    Arrays.setAll(own, i -> memory.nextFence());
                    return own;
                }));
            }
            long[] all = new long[200_000];
            for (int t = 0; t < 4; t++) {
                long[] own = results.get(t).get();
                assertThat(own).isSorted();
                System.arraycopy(own, 0, all, t * 50_000, 50_000);
            }
            Arrays.sort(all);
            assertThat(all).startsWith(1, 2, 3).doesNotHaveDuplicates().endsWith(200_000);
        }
    }

    /** The numbers from 0 to 1,023, and then nothing. */
    private static InputStream counting() {
        ByteBuffer bytes = ByteBuffer.allocate(8 * 1024);
        LongStream.range(0, 1024).forEach(bytes::putLong);
        return new ByteArrayInputStream(bytes.array());
    }

    @Test
    void everyByteIsUsedOnceAndAnEndIsFatalAtEachCall() {
        Salts salts = new Salts(counting());

        assertThat(LongStream.range(0, 1024).map(i -> salts.next()))
                .containsExactly(LongStream.range(0, 1024).boxed().toArray(Long[]::new));
        for (int i = 0; i < 3; i++) {
            assertThatExceptionOfType(InternalError.class)
                    .isThrownBy(salts::next)
                    .withCauseInstanceOf(EOFException.class);
        }
    }
}
