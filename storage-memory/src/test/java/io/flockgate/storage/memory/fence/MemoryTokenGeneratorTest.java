package io.flockgate.storage.memory.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.flockgate.storage.Token;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class MemoryTokenGeneratorTest {
    private static final ThreadFactory DAEMONS = Thread.ofPlatform().daemon().factory();

    @TempDir
    Path directory;

    private static MemoryTokenGenerator open(Path file, long clockNanos) throws IOException {
        return MemoryTokenGenerator.open(file, clockNanos, DAEMONS);
    }

    private static Token next(MemoryTokenGenerator tokens) {
        return new Token(tokens.nextFence(), tokens.nextSalt());
    }

    @Test
    void tokensAre32LowerHexDigitsInGrantOrder() throws IOException {
        try (MemoryTokenGenerator tokens = MemoryTokenGenerator.inMemory(1_764_547_200_000_000_000L)) {
            String first = next(tokens).toHex();
            String second = next(tokens).toHex();

            assertThat(first).matches("[0-9a-f]{32}").startsWith("187cee5455690001");
            assertThat(second).startsWith("187cee5455690002").isGreaterThan(first);
            assertThat(second.substring(16)).isNotEqualTo(first.substring(16));
        }
    }

    @Test
    @DisplayName("★26 FenceFile_StrictRestartMonotonic: larger after a restart, whatever the clock says")
    void fencesRiseOverARestartThoughTheClockGoesBack() throws IOException {
        Path file = directory.resolve("fence");
        long before;
        try (MemoryTokenGenerator tokens = open(file, 2_000_000_000L)) {
            before = tokens.nextFence();
            assertThat(before).isEqualTo(2_000_000_001L);
        }

        try (MemoryTokenGenerator tokens = open(file, 1_000)) {
            assertThat(tokens.nextFence()).isGreaterThan(before);
        }
    }

    @Test
    @DisplayName("★27 on a real file, across ranges, with the extension in the background")
    void theRealFileIsAheadOfEveryFence() throws IOException {
        Path file = directory.resolve("fence");
        long last = 0;
        try (MemoryTokenGenerator tokens = open(file, 0)) {
            while (last < 3 * FenceCounter.RANGE) {
                long fence = Fences.await(tokens);
                assertThat(fence == last + 1).isTrue();
                last = fence;
                if (fence % (FenceCounter.RANGE / 8) == 0) {
                    assertThat(ceilingOf(file)).isGreaterThanOrEqualTo(fence);
                }
            }
        }
        assertThat(ceilingOf(file)).isGreaterThanOrEqualTo(last);
        assertThat(file).hasSize(64);
    }

    private static long ceilingOf(Path file) throws IOException {
        return FenceRecord.newest(Files.readAllBytes(file)).orElseThrow().ceiling();
    }

    @Test
    @DisplayName("ExclusiveLock: a second generator on the file fails until the first is closed")
    void aFileServesOneGeneratorAtATime() throws IOException {
        Path file = directory.resolve("fence");
        MemoryTokenGenerator first = open(file, 5);

        assertThatIOException().isThrownBy(() -> open(file, 5).close()).withMessageContaining("in use");

        first.close();
        first.close();
        assertThat(first.nextFence()).isZero();
        assertThat(first.failureReason()).isPresent();
        open(file, 5).close();
    }

    @Test
    void aClockBefore1970CountsAsZero() throws IOException {
        try (MemoryTokenGenerator memory = MemoryTokenGenerator.inMemory(-1);
                MemoryTokenGenerator durable = open(directory.resolve("fence"), Long.MIN_VALUE)) {
            assertThat(memory.nextFence()).isEqualTo(1);
            assertThat(durable.nextFence()).isEqualTo(1);
            assertThat(durable.failureReason()).isEmpty();
        }
    }
}
