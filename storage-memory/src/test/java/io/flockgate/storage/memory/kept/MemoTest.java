package io.flockgate.storage.memory.kept;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MemoTest {
    /** Each has the same hash, because the bytes of "Aa" and "BB" have. */
    private static Memo ofOneHash(int number) {
        StringBuilder text = new StringBuilder();
        for (int bit = 0; bit < 15; bit++) {
            text.append((number >> bit & 1) == 0 ? "Aa" : "BB");
        }
        return Memo.of(text.toString().getBytes(StandardCharsets.US_ASCII));
    }

    /** Searched linearly, they would take ten seconds or more. */
    @Test
    void manyOfOneHashAreFoundInAHashMap() {
        Map<Memo, Integer> clients = new HashMap<>();
        long begin = System.nanoTime();
        for (int i = 0; i < 30_000; i++) {
            clients.put(ofOneHash(i), i);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(3));
        assertThat(clients).hasSize(30_000).containsEntry(ofOneHash(12_345), 12_345);
        assertThat(ofOneHash(1)).hasSameHashCodeAs(ofOneHash(2)).isNotEqualTo(ofOneHash(2));
    }
}
