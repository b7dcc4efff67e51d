package io.flockgate.gateway.transcript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TranscriptParserTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "A >ping",
                "a> ping",
                "A> ping ",
                "A>  ping",
                "A>5 ping",
                "A> \\q",
                "A> \\xGG",
                "A> {\"x\" * y}",
                "A> \"x\" * 5}",
                "A> <token>",
                "A< <num 1>",
                "A> r\\nk\\n<tok1>",
                "A<",
                "A<0 ok",
                "A< (close)",
                "A: shut",
                "A: write 0 bytes at a time",
                "pause 5ms",
                "until job: asleep",
                "until job: waiters",
                "fence <tok1> < <tok2>",
                "server: --debug",
                " # indented",
                "A: session <sesB>",
                "A: no session",
                "H> GET",
                "H> GET health",
                "H> get /health",
                "H> GET /v1/sessions/<ses1>",
                "H> Accept: x",
                "H> POST /v1/locks/x \\q",
                "H< 99 {}",
                "H< 200 ok",
                "H< 200 [body]",
                "H<2 200 {}",
                "H< Allow: GET",
                "H: https",
            })
    void aLineThatIsNotUnderstoodIsRefusedByFileAndLine(String line) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("H: http", line, "A< ok"))
                .withMessageStartingWith("t.txt:11: ");
    }

    @Test
    void aTranscriptThatExpectsNothingIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("A> ping"))
                .withMessageContaining("expects nothing");
    }

    @Test
    void theBlocksOfAPageAreFoundAndOtherBlocksMayNotShowTraffic(@TempDir Path dir) throws IOException {
        Path page = dir.resolve("page.md");
        Files.writeString(page, "text\n```transcript one\nA> ping\nA< ok\n```\n\n```text\nok <token>\n```\n");
        assertThat(TranscriptFiles.inPage(page)).extracting(Transcript::name).containsExactly("page.md: one");

        Files.writeString(page, "```text\nA> ping\n```\n");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TranscriptFiles.inPage(page))
                .withMessageStartingWith("page.md:2: not in a transcript block");

        Files.writeString(page, "```transcript one\nA> ping\n");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TranscriptFiles.inPage(page))
                .withMessageContaining("without end");
    }

    private static Transcript parse(String... lines) {
        return TranscriptParser.parse("t", "t.txt", 10, List.of(lines));
    }
}
