package io.flockgate.storage.memory.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.flockgate.storage.memory.journal.FenceCounter.Salts;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SaltsTest {
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
