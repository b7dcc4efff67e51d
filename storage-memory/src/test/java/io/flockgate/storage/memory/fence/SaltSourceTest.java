package io.flockgate.storage.memory.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SaltSourceTest {
    private final AtomicLong counter = new AtomicLong();
    private final List<Runnable> background = new ArrayList<>();

    private void count(byte[] target) {
        ByteBuffer out = ByteBuffer.wrap(target);
        while (out.hasRemaining()) {
            out.putLong(counter.getAndIncrement());
        }
    }

    private static SaltSource.RandomBytes failing() {
        return target -> {
            throw new GeneralSecurityException("broken");
        };
    }

    @Test
    void everyByteOfAPoolIsUsedOnceAndInOrder() {
        SaltSource salts = new SaltSource(this::count, SaltSourceTest::failing, background::add);

        for (long i = 0; i < 2_000; i++) {
            assertThat(salts.next()).isEqualTo(i);
        }
    }

    @Test
    void threadsNeverShareASalt() throws Exception {
        SaltSource salts = new SaltSource(this::count, SaltSourceTest::failing, task -> {});
        Set<Long> all = new HashSet<>();
        try (ExecutorService pool = Executors.newFixedThreadPool(4)) {
            List<Future<Set<Long>>> results = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                results.add(pool.submit(() -> take(salts, 50_000)));
            }
            for (Future<Set<Long>> result : results) {
                all.addAll(result.get());
            }
        }

        assertThat(all).hasSize(200_000);
    }

    private static Set<Long> take(SaltSource salts, int count) {
        Set<Long> own = new HashSet<>();
        for (int i = 0; i < count; i++) {
            own.add(salts.next());
        }
        return own;
    }

    @Test
    void theFasterSourceTakesOverInTheBackgroundOnce() {
        SaltSource salts = new SaltSource(this::count, () -> target -> Arrays.fill(target, (byte) -1), background::add);
        assertThat(background).isEmpty();

        assertThat(take(salts, 65)).hasSize(65);
        assertThat(background).hasSize(1);
        background.getFirst().run();
        assertThat(take(salts, 511)).as("the pool already filled").hasSize(511).doesNotContain(-1L);

        assertThat(take(salts, 2_000)).containsExactly(-1L);
        assertThat(background).hasSize(1);
    }

    @Test
    void withoutAFasterSourceTheFirstGoesOn() {
        firstGoesOnAfter(() -> {
            throw new GeneralSecurityException("no such algorithm");
        });
        firstGoesOnAfter(() -> {
            throw new ExceptionInInitializerError("Too many open files");
        });
    }

    private void firstGoesOnAfter(Callable<SaltSource.RandomBytes> failing) {
        SaltSource salts = new SaltSource(this::count, failing, Runnable::run);

        assertThat(take(salts, 2_000)).hasSize(2_000);
    }

    @Test
    void aFailingSourceIsFatalAtStart() {
        assertThatExceptionOfType(RandomSourceError.class)
                .isThrownBy(() -> new SaltSource(failing(), SaltSourceTest::failing, background::add))
                .withRootCauseInstanceOf(GeneralSecurityException.class);
    }

    @Test
    void aSourceThatFailsLaterIsFatalAtEachCallAndNothingIsRepeated() {
        SaltSource salts = new SaltSource(this::count, SaltSourceTest::failing, Runnable::run);
        assertThat(take(salts, 64 + 512)).hasSize(576);

        for (int i = 0; i < 3; i++) {
            assertThatExceptionOfType(RandomSourceError.class).isThrownBy(salts::next);
        }
    }

    @Test
    void theKeyStreamsOfTwoSourcesDiffer() throws GeneralSecurityException {
        byte[] first = new byte[10_000];
        byte[] second = new byte[10_000];
        new AesCtrStream(new SecureRandom()).fill(first);
        new AesCtrStream(new SecureRandom()).fill(second);

        assertThat(first).isNotEqualTo(second);
    }

    @Test
    void theKeyStreamDoesNotRepeatAndItsBitsAreEven() throws GeneralSecurityException {
        AesCtrStream source = new AesCtrStream(new SecureRandom());
        Set<Long> seen = new HashSet<>();
        long ones = 0;
        for (int pool = 0; pool < 100; pool++) {
            ByteBuffer bytes = ByteBuffer.allocate(SaltSource.POOL_BYTES);
            source.fill(bytes.array());
            while (bytes.hasRemaining()) {
                long salt = bytes.getLong();
                ones += Long.bitCount(salt);
                seen.add(salt);
            }
        }

        assertThat(seen).hasSize(51_200);
        // 3.3 million bits: 1 % is 18 standard deviations.
        assertThat(ones / (51_200.0 * 64)).isBetween(0.49, 0.51);
    }

    @Test
    void theStandardSaltsAreDistinctBeforeAndAfterTheTakeOver() {
        assertThat(take(SaltSource.secure(Thread.ofPlatform().daemon().factory()), 100_000))
                .hasSize(100_000);
    }
}
