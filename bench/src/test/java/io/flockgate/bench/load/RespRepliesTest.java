package io.flockgate.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RespRepliesTest {
    private static final String POPPED = "*2\r\n$3\r\nhot\r\n$32\r\n" + Bytes.TOKEN + "\r\n";

    private final RespReplies own = new RespReplies(false);
    private final RespReplies shared = new RespReplies(true);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "+OK\r\n",
                "-ERR no\r\n",
                ":17\r\n",
                "$-1\r\n",
                "*-1\r\n",
                "*0\r\n",
                "$0\r\n\r\n",
                "$4\r\na\r\nb\r\n",
                "*2\r\n$1\r\na\r\n*1\r\n:1\r\n",
                POPPED
            })
    void anAnswerEndsWhereItEndsAndNotBefore(String answer) {
        for (int received = 0; received < answer.length(); received++) {
            assertThat(Bytes.end(own, answer.substring(0, received)))
                    .as("%s bytes", received)
                    .isEqualTo(Replies.NONE);
        }
        assertThat(Bytes.end(own, answer)).isEqualTo(answer.length());
        assertThat(Bytes.end(own, answer + "+OK\r\n")).isEqualTo(answer.length());
    }

    @ParameterizedTest
    @ValueSource(strings = {"ok\r\n", "$x\r\n", "*99999999999\r\n"})
    void whatIsNotRespEndsTheRun(String answer) {
        assertThatThrownBy(() -> {
                    int ignored = Bytes.end(own, answer);
                })
                .isInstanceOf(LoadException.class)
                .hasMessageContaining("RESP");
    }

    @Test
    void aKeyOfOnesOwnIsGrantedWithOkAndReleasedWithOne() {
        assertThat(Bytes.check(own, "+OK\r\n", Expected.GRANT)).isEqualTo(Replies.NONE);
        assertThat(Bytes.check(own, ":1\r\n", Expected.RELEASED)).isEqualTo(Replies.NONE);
    }

    @Test
    void aSharedKeyIsGrantedWithTheTokenOfTheList() {
        assertThat(Bytes.check(shared, POPPED, Expected.GRANT)).isEqualTo(POPPED.indexOf(Bytes.TOKEN));
        assertThat(Bytes.check(shared, ":4\r\n", Expected.RELEASED)).isEqualTo(Replies.NONE);
    }

    @Test
    void aKeyThatIsHeldOrLostEndsTheRun() {
        assertSurprise(own, "$-1\r\n", Expected.GRANT, "acquire was answered '$-1\\r\\n'");
        assertSurprise(own, ":0\r\n", Expected.RELEASED, "release was answered ':0\\r\\n'");
        assertSurprise(own, ":10\r\n", Expected.RELEASED, "release was answered ':10\\r\\n'");
        assertSurprise(shared, "*-1\r\n", Expected.GRANT, "acquire was answered '*-1\\r\\n'");
        assertSurprise(shared, "-ERR no\r\n", Expected.RELEASED, "release was answered '-ERR no\\r\\n'");
    }

    private static void assertSurprise(Replies replies, String answer, Expected expected, String message) {
        assertThatThrownBy(() -> {
                    int ignored = Bytes.check(replies, answer, expected);
                })
                .isInstanceOf(LoadException.class)
                .hasMessage(message);
    }
}
