package io.flockgate.storage.memory.journal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Token;
import io.flockgate.storage.memory.journal.DurableState.GrantImage;
import java.io.IOException;
import java.util.Objects;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;

class GrantRecordPropertyTest {
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
        GrantRecord record = new GrantRecord(
                new Token(fence == 0 ? 1 : fence, salt), lease, grantedAt, key, limit, new String(memo, ISO_8859_1));

        byte[] bytes = record.encode();

        assertThat(GrantRecord.decode(bytes)).isEqualTo(record);
        assertThat(Changes.fence(bytes)).isEqualTo(record.token().fence());
    }

    @Property
    void anyBytesAreReadOrRefused(@ForAll byte[] bytes) {
        try {
            new GrantImage(1, ceiling -> {}).read(bytes);
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("record");
        }
    }
}
