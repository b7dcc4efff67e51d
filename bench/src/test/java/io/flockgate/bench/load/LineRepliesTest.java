package io.flockgate.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.bench.BenchException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LineRepliesTest {
    private final LineReplies replies = new LineReplies();

    @Test
    void anAnswerEndsAfterItsLineFeed() {
        assertThat(Bytes.end(replies, "ok\nok\n")).isEqualTo(3);
        assertThat(replies.end(Bytes.of("ok\nok\n"), 3, 6)).isEqualTo(6);
    }

    @Test
    void anAnswerWithoutLineFeedIsIncomplete() {
        assertThat(Bytes.end(replies, "ok " + Bytes.TOKEN)).isEqualTo(Replies.NONE);
        assertThat(Bytes.end(replies, "")).isEqualTo(Replies.NONE);
    }

    @Test
    void aGrantHasItsTokenAfterOk() {
        assertThat(Bytes.check(replies, "ok " + Bytes.TOKEN + " 33\n", Expected.GRANT))
                .isEqualTo(3);
    }

    @Test
    void aReleaseIsABareOk() {
        assertThat(Bytes.check(replies, "ok\n", Expected.RELEASED)).isEqualTo(Replies.NONE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "timeout\n",
                "ok\n",
                "error_max_locks\n",
                "ok 0123456789abcdef 33\n",
                "ok 0123456789ABCDEF0123456789ABCDEF 33\n",
                "ok 0123456789abcdef0123456789abcdef\n",
                "ok 0123456789abcdef0123456789abcdef \n",
                "ok 0123456789abcdef0123456789abcdef x\n",
                "ok 0123456789abcdef0123456789abcdef0 33\n",
                "ok 0123456789abcdef0123456789abcdef033\n"
            })
    void whatIsNoGrantIsQuoted(String answer) {
        assertThatThrownBy(() -> {
                    int ignored = Bytes.check(replies, answer, Expected.GRANT);
                })
                .isInstanceOf(BenchException.class)
                .hasMessage("acquire was answered '" + answer.replace("\n", "\\n") + "'");
    }

    @Test
    void anErrorToAReleaseSaysThatItWasARelease() {
        assertThatThrownBy(() -> {
                    int ignored = Bytes.check(replies, "error\n", Expected.RELEASED);
                })
                .hasMessage("release was answered 'error\\n'");
    }
}
