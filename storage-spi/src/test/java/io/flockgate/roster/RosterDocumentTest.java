package io.flockgate.roster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RosterDocumentTest {
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    private static RosterDocument document(Roster roster) {
        return new RosterDocument(7, "node-1/5f3a09c1-4", 2, roster);
    }

    @Test
    void isReadableByPeople() {
        Roster roster = Roster.EMPTY
                .with(new Member("b", 3, NOW, NOW.plusSeconds(60), "192.0.2.1", "node-1"))
                .with(new Member("a \"1\"", 2, NOW, NOW, "", "node-2"))
                .paused("kernel panics", NOW);

        assertThat(new String(document(roster).toBytes(), UTF_8)).isEqualTo("""
                {"version":1,"revision":7,"writer":"node-1/5f3a09c1-4","fence":3,"slots":2,
                "pause":{"since":"2026-03-01T12:00:00Z","reason":"kernel panics"},
                "members":[
                {"id":"a \\"1\\"","fence":2,"since":"2026-03-01T12:00:00Z","seen":"2026-03-01T12:00:00Z","address":"","gateway":"node-2"},
                {"id":"b","fence":3,"since":"2026-03-01T12:00:00Z","seen":"2026-03-01T12:01:00Z","address":"192.0.2.1","gateway":"node-1"}
                ]}
                """);
    }

    @Test
    void comesBackAsItWas() {
        Roster roster = new Roster(
                Long.MAX_VALUE,
                Roster.EMPTY
                        .paused("\u00e4 \ud83d\udd12 \ud800 \u0000", NOW.plusNanos(1))
                        .pause(),
                Roster.EMPTY
                        .with(new Member("\ud83d\udd12", 3, NOW.plusNanos(999), NOW, "", "n"))
                        .with(new Member("\udd12\ud83d", 4, NOW, NOW, "", "n"))
                        .with(new Member("?", 5, NOW, NOW, "", "n"))
                        .with(new Member("\\ud83d", 6, NOW, NOW, "", "n"))
                        .members());

        assertThat(RosterDocument.parse(document(roster).toBytes())).isEqualTo(document(roster));
        assertThat(RosterDocument.parse(RosterDocument.NONE.toBytes())).isEqualTo(RosterDocument.NONE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "locked",
                "[]",
                "null",
                "{}",
                "{\"version\":2,\"revision\":1,\"writer\":\"\",\"fence\":0,\"slots\":0,\"members\":[]}",
                "{\"version\":\"1\",\"revision\":1,\"writer\":\"\",\"fence\":0,\"slots\":0,\"members\":[]}",
                "{\"version\":1,\"revision\":1,\"writer\":\"\",\"fence\":0,\"slots\":0}",
                "{\"version\":1,\"revision\":1,\"writer\":\"\",\"fence\":1.5,\"slots\":0,\"members\":[]}",
                "{\"version\":1,\"revision\":1,\"writer\":\"\",\"fence\":0,\"slots\":0,\"members\":[null]}",
                "{\"version\":1,\"revision\":1,\"writer\":\"\",\"fence\":0,\"slots\":0,\"members\":[{\"id\":\"a\"}]}",
                "{\"version\":1,\"revision\":1,\"writer\":\"\",\"fence\":0,\"slots\":0,\"members\":[],\"pause\":{\"since\":\"now\",\"reason\":\"\"}}",
                "{\"version\":1,\"revision\":1,\"writer\":\"\",\"fence\":0,\"slots\":0,\"members\":["
            })
    void isNoneWhenWeCouldNotHaveWrittenIt(String text) {
        assertThat(RosterDocument.parse(text.getBytes(UTF_8))).isNull();
    }

    @Test
    void isNoneWithAMemberTwice() {
        String member =
                "{\"id\":\"a\",\"fence\":1,\"since\":\"2026-03-01T12:00:00Z\",\"seen\":\"2026-03-01T12:00:00Z\",\"address\":\"\",\"gateway\":\"\"}";
        String start = "{\"version\":1,\"revision\":1,\"writer\":\"\",\"fence\":0,\"slots\":0,\"members\":[";

        assertThat(RosterDocument.parse((start + member + "]}").getBytes(UTF_8)))
                .isNotNull();
        assertThat(RosterDocument.parse((start + member + "," + member + "]}").getBytes(UTF_8)))
                .isNull();
    }
}
