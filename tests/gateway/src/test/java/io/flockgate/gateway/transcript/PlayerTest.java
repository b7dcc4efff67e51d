package io.flockgate.gateway.transcript;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The player of transcripts, against a server with a script. */
class PlayerTest {
    private static final String LOW = "00000000000000010123456789abcdef";
    private static final String HIGH = "0000000000000002fedcba9876543210";

    @AutoClose
    private final TalkingServer server = TalkingServer.ofLines();

    @Test
    void linesAreSentWithTheirLineFeedsAndPiecesWithout() throws Exception {
        server.saysAndCloses("ok\n");
        server.play("A> ping", "A>> _", "A>> \\r\\n", "A> _", "A< ok", "A< (closed)");
        assertThat(server.heard()).isEqualTo("ping\n_\r\n_\n");
    }

    @Test
    void theExpectedRepliesPass() throws Exception {
        server.says("ok " + LOW + "\nok " + HIGH + "\nok\nok\n");
        server.play("A: open", "A< ok <tok1>", "A< ok <tok2>", "fence <tok1> < <tok2>", "A<2 ok", "A< (nothing)");
    }

    @Test
    void anotherReplyFailsWithItsLine() {
        server.says("timeout\n");
        server.fails("t.txt:2: A expected: ok\n  got: timeout", "A: open", "A< ok");
    }

    @Test
    void aReplyTooManyFails() {
        server.says("ok\nok\n");
        server.fails("A expected: no more replies\n  got: ok", "A: open", "A< ok");
    }

    @Test
    void aReplyWithoutItsLineFeedFails() {
        server.saysAndCloses("ok");
        server.fails("t.txt:2: A expected: ok\n  got: ok(closed)", "A: open", "A< ok");
    }

    @Test
    void anEndThatIsNotExpectedFails() {
        server.saysAndCloses("");
        server.fails("t.txt:2: A expected: (nothing)\n  got: (closed)", "A: open", "A< (nothing)", "A< ok");
    }

    @Test
    void bytesBeforeTheEndFail() {
        server.saysAndCloses("error\n");
        server.fails("t.txt:2: A expected: (closed)\n  got: error", "A: open", "A< (closed)");
    }

    @Test
    void fencesThatDoNotRiseFail() {
        server.says(HIGH + "\n" + LOW + "\n");
        server.fails("t.txt:4: fence", "A: open", "A< <tok1>", "A< <tok2>", "fence <tok1> < <tok2>");
    }
}
