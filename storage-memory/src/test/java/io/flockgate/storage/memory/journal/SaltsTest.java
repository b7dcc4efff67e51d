package io.flockgate.storage.memory.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.flockgate.storage.memory.journal.FenceCounter.Salts;
import java.nio.ByteBuffer;
import java.security.ProviderException;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SaltsTest {
    /** Counts upwards, and fails from a number on. */
    private static final class Counting extends SecureRandom {
        private static final long serialVersionUID = 1;

        private final long end;
        private long next;

        Counting(long end) {
            this.end = end;
        }

        @Override
        public void nextBytes(byte[] target) {
            ByteBuffer out = ByteBuffer.wrap(target);
            while (out.hasRemaining()) {
                if (next == end) {
                    throw new ProviderException("broken");
                }
                out.putLong(next++);
            }
        }
    }

    @Test
    void everyByteIsUsedOnceAndInOrder() {
        Salts salts = new Salts(new Counting(Long.MAX_VALUE));

        assertThat(LongStream.range(0, 2_000).map(i -> salts.next()))
                .containsExactly(LongStream.range(0, 2_000).boxed().toArray(Long[]::new));
    }

    @Test
    void aSourceThatFailsIsFatalAtEachCallAndNothingIsRepeated() {
        Salts salts = new Salts(new Counting(512));
        assertThat(LongStream.range(0, 512).map(i -> salts.next()).distinct()).hasSize(512);

        for (int i = 0; i < 3; i++) {
            assertThatExceptionOfType(InternalError.class)
                    .isThrownBy(salts::next)
                    .withRootCauseInstanceOf(ProviderException.class);
        }
    }

    @Test
    void theSaltsOfTheSystemDiffer() {
        Set<Long> seen = new HashSet<>();
        Salts salts = new Salts(new SecureRandom());
        for (int i = 0; i < 10_000; i++) {
            seen.add(salts.next());
        }
        assertThat(seen).hasSize(10_000);
    }
}
