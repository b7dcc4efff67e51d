package io.flockgate.storage.memory.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Token;
import java.io.IOException;
import java.util.Objects;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;

class JournalRecordPropertyTest {
    @Provide
    Arbitrary<Key> keys() {
        return Arbitraries.bytes()
                .filter(b -> b != ' ' && b != '\t' && b != '\n' && b != '\r')
                .array(byte[].class)
                .ofMinSize(1)
                .ofMaxSize(Key.MAX_BYTES)
                .map(bytes -> Objects.requireNonNull(Key.copyOf(bytes, 0, bytes.length)));
    }

    @Property
    void comesBackAsItWas(
            @ForAll long fence,
            @ForAll long salt,
            @ForAll @LongRange(min = 1, max = Claim.MAX_SECONDS) long lease,
            @ForAll long grantedAt,
            @ForAll("keys") Key key,
            @ForAll @LongRange(max = Long.MAX_VALUE) long limit,
            @ForAll byte[] memo)
            throws IOException {
        GrantRecord record =
                new GrantRecord(new Token(fence == 0 ? 1 : fence, salt), lease, grantedAt, key, limit, memo);

        assertThat(JournalRecord.decode(record.encode()))
                .usingRecursiveComparison()
                .isEqualTo(record);
    }

    @Property
    void anyBytesAreReadOrRefused(@ForAll byte[] bytes) {
        try {
            assertThat(JournalRecord.decode(bytes).encode()).isEqualTo(bytes);
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("record");
        }
    }
}
