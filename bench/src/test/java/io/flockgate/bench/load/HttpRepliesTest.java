package io.flockgate.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.bench.BenchException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpRepliesTest {
    private static final String GRANT = "{\"status\":\"ok\",\"token\":\"" + Bytes.TOKEN + "\",\"lease_ttl_s\":33}\n";

    private final HttpReplies replies = new HttpReplies();

    private static String ok(String body) {
        return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n"
                + body;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 204 No Content\r\n\r\n",
                "HTTP/1.1 204 \r\ndate: x\r\n\r\n",
                "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nCONTENT-LENGTH:4 \r\nConnection: keep-alive\r\n\r\n\r\n\r\n",
                "HTTP/1.1 503 Service Unavailable\r\nX-Content-Length: 9\r\nContent-Length:  12\r\n\r\nHTTP/1.1 200",
                "HTTP/1.1 100 Continue\r\n\r\n"
            })
    void anAnswerEndsWhereItEndsAndNotBefore(String answer) {
        for (int received = 0; received < answer.length(); received++) {
            assertThat(Bytes.end(replies, answer.substring(0, received)))
                    .as("%s bytes", received)
                    .isEqualTo(Replies.NONE);
        }
        assertThat(Bytes.end(replies, answer)).isEqualTo(answer.length());
        assertThat(Bytes.end(replies, answer + "HTTP/1.1 200 OK\r\n")).isEqualTo(answer.length());
    }

    @Test
    void answersFollowOneAnother() {
        String first = ok(GRANT);
        ByteBuffer both = Bytes.of(first + "HTTP/1.1 204 No Content\r\n\r\n");

        assertThat(replies.end(both, first.length(), both.limit())).isEqualTo(both.limit());
        assertThat(replies.check(both, first.length(), both.limit(), Expected.RELEASED))
                .isEqualTo(Replies.NONE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ok\n",
                "HTTP/1.0 200 OK\r\n",
                "HTTP/1.1 \r\n",
                "HTTP/1.1 2x0 OK\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: \r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n"
            })
    void whatCannotBeReadEndsTheRun(String answer) {
        assertThatThrownBy(() -> {
                    int ignored = Bytes.end(replies, answer);
                })
                .isInstanceOf(BenchException.class)
                .message()
                .containsAnyOf("HTTP/1.1", "Content-Length");
    }

    @Test
    void aGrantHasItsTokenInItsBody() {
        String answer = ok(GRANT);
        assertThat(Bytes.check(replies, answer, Expected.GRANT)).isEqualTo(answer.indexOf(Bytes.TOKEN));
        assertThat(Bytes.check(replies, ok(GRANT.strip()), Expected.GRANT)).isPositive();
    }

    @Test
    void aReleaseHasNoContent() {
        assertThat(Bytes.check(replies, "HTTP/1.1 204 No Content\r\n\r\n", Expected.RELEASED))
                .isEqualTo(Replies.NONE);
        assertSurprise(ok(GRANT), Expected.RELEASED, "release was answered 'HTTP/1.1 200 OK");
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
                "{\"status\":\"ok\",\"token\":\"0123456789abcdef0123456789abcdef\",\"lease_ttl_s\":33",
                "{\"status\":\"ok\",\"token\":\"0123456789abcdef0123456789abcdef\",\"lease_ttl_s\":33.5}\n"
            })
    void whatIsNoGrantIsQuoted(String body) {
        assertSurprise(ok(body), Expected.GRANT, "acquire was answered 'HTTP/1.1 200 OK\\r\\n");
    }

    @Test
    void aGrantWithAnotherStatusIsNone() {
        assertSurprise(ok(GRANT).replace("200", "201"), Expected.GRANT, "acquire was answered 'HTTP/1.1 201");
    }

    private void assertSurprise(String answer, Expected expected, String message) {
        assertThatThrownBy(() -> {
                    int ignored = Bytes.check(replies, answer, expected);
                })
                .isInstanceOf(BenchException.class)
                .hasMessageStartingWith(message);
    }
}
