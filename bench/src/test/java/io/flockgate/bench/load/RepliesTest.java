package io.flockgate.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.bench.BenchException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An answer that was taken for a grant, and is none, would be measured as one. */
class RepliesTest {
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";

    private static int grant(Replies replies, String answer) {
        ByteBuffer bytes = ByteBuffer.wrap(answer.getBytes(StandardCharsets.ISO_8859_1));
        assertThat(replies.end(bytes, 0, answer.length())).isEqualTo(answer.length());
        return replies.check(bytes, 0, answer.length(), Expected.GRANT);
    }

    private static void isNoGrant(Replies replies, String answer) {
        assertThatThrownBy(() -> {
                    int ignored = grant(replies, answer);
                })
                .isInstanceOf(BenchException.class)
                .hasMessageStartingWith("acquire was answered '");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "timeout",
                "ok",
                "error_max_locks",
                "ok 0123456789abcdef 33",
                "ok 0123456789ABCDEF0123456789ABCDEF 33",
                "ok 0123456789abcdef0123456789abcdef",
                "ok 0123456789abcdef0123456789abcdef ",
                "ok 0123456789abcdef0123456789abcdef x",
                "ok 0123456789abcdef0123456789abcdef0 33",
                "ok 0123456789abcdef0123456789abcdef033"
            })
    void aLineThatIsNoGrantEndsTheRun(String line) {
        assertThat(grant(new LineReplies(), "ok " + TOKEN + " 33\n")).isEqualTo(3);
        isNoGrant(new LineReplies(), line + "\n");
    }

    private static String ok(String body) {
        return "HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{\"status\":\"timeout\"}\n",
                "{\"status\":\"queued\"}\n",
                "{\"status\":\"acquired\",\"token\":\"0123456789abcdef0123456789abcdef\",\"lease_ttl_s\":33}\n",
                "{\"status\":\"ok\",\"token\":\"0123456789abcdef\",\"lease_ttl_s\":33}\n",
                "{\"status\":\"ok\",\"token\":\"0123456789ABCDEF0123456789ABCDEF\",\"lease_ttl_s\":33}\n",
                "{\"status\":\"ok\",\"token\":\"0123456789abcdef0123456789abcdef\"}\n",
                "{\"status\":\"ok\",\"token\":\"0123456789abcdef0123456789abcdef\",\"lease_ttl_s\":}\n",
                "{\"status\":\"ok\",\"token\":\"0123456789abcdef0123456789abcdef\",\"lease_ttl_s\":33.5}\n"
            })
    void anOutcomeThatIsNoGrantEndsTheRun(String body) {
        String grant = ok("{\"status\":\"ok\",\"token\":\"" + TOKEN + "\",\"lease_ttl_s\":33}\n");
        assertThat(grant(new HttpReplies(), grant)).isEqualTo(grant.indexOf(TOKEN));
        isNoGrant(new HttpReplies(), grant.replace("200", "201"));
        isNoGrant(new HttpReplies(), ok(body));
    }
}
