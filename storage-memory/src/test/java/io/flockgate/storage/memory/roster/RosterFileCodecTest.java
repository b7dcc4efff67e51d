package io.flockgate.storage.memory.roster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.flockgate.roster.Member;
import io.flockgate.roster.Roster;
import io.flockgate.roster.support.RosterDocument;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RosterFileCodecTest {
    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");
    private static final Map<String, RosterDocument> DOCUMENTS = Map.of(
            "workers",
            new RosterDocument(
                    7, "node-1", 2, Roster.EMPTY.with(new Member("b", 3, NOON, NOON, "192.0.2.1", "node-1"))),
            "default",
            RosterDocument.NONE);

    private final byte[] file = RosterFileCodec.encode(DOCUMENTS);

    @Test
    void isReadableByPeople() {
        assertThat(new String(file, UTF_8)).isEqualTo("""
                {"flockgate_rosters":1,"crc32c":"dc99c07c","rosters":[
                {"group":"default","roster":{"version":1,"revision":0,"writer":"","fence":0,"slots":0,
                "members":[
                ]}},
                {"group":"workers","roster":{"version":1,"revision":7,"writer":"node-1","fence":3,"slots":2,
                "members":[
                {"id":"b","fence":3,"since":"2026-03-01T12:00:00Z","seen":"2026-03-01T12:00:00Z","address":"192.0.2.1","gateway":"node-1"}
                ]}}
                ]}
                """);
    }

    @Test
    void comesBackAsItWas() throws IOException {
        Map<String, RosterDocument> odd = new HashMap<>(DOCUMENTS);
        odd.put("\u00e4 \"x\"\n \ud83d\udd12", RosterDocument.NONE);
        odd.put("\ud800", RosterDocument.NONE);
        OldJournal.states().getLast().forEach((group, roster) -> odd.put(group, new RosterDocument(1, "", 0, roster)));

        assertThat(RosterFileCodec.decode(RosterFileCodec.encode(odd))).isEqualTo(odd);
        assertThat(RosterFileCodec.decode(RosterFileCodec.encode(Map.of()))).isEmpty();
    }

    @Test
    void aWrongBitAnywhereIsDamage() {
        for (int bit = 0; bit < file.length * 8; bit++) {
            byte[] damaged = file.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            isRefused(damaged);
        }
    }

    @Test
    void aFileThatIsTooShortOrTooLongIsDamage() {
        for (int length = 0; length < file.length; length++) {
            isRefused(Arrays.copyOf(file, length));
        }
        isRefused(Arrays.copyOf(file, file.length + 1));
    }

    private static void isRefused(byte[] damaged) {
        assertThatIOException().isThrownBy(() -> RosterFileCodec.decode(damaged));
    }

    @Test
    void anotherVersionIsDistinguishedFromDamage() {
        assertThatIOException()
                .isThrownBy(() -> RosterFileCodec.decode("{\"flockgate_rosters\":2,\n}".getBytes(UTF_8)))
                .withMessageContaining("another version");
        assertThatIOException()
                .isThrownBy(() -> RosterFileCodec.decode("{}\n".getBytes(UTF_8)))
                .withMessageContaining("does not begin");
    }
}
