package io.flockgate.gateway.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.http.ReplyWriter.Framing;
import io.vertx.core.buffer.Buffer;
import java.time.Instant;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplyWriterTest {
    private static final Framing PLAIN = new Framing(false, false, false, "");
    private static final Framing HEAD = new Framing(true, false, false, "");
    private static final Framing CLOSING = new Framing(false, false, true, "");
    private static final Framing HTTP_10 = new Framing(false, true, false, "");
    private static final Framing HTTP_10_CLOSING = new Framing(false, true, true, "");
    private static final String JSON = "Content-Type: application/json\r\nX-Content-Type-Options: nosniff\r\n";
    private static final String DATE = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";

    private Instant now = Instant.parse("1994-11-06T08:49:37.999Z");
    private final ReplyWriter writer = new ReplyWriter(() -> now.toEpochMilli());

    private String written(Reply reply, Framing framing) {
        return writer.write(reply, framing).toString(ISO_8859_1);
    }

    private String head(Framing framing) {
        return writer.writeHead(Reply.OK, framing).toString(ISO_8859_1);
    }

    @Nested
    class AReply {
        @Test
        void isWrittenToTheByte() {
            assertThat(written(Reply.OK, PLAIN))
                    .isEqualTo("HTTP/1.1 200 OK\r\n" + JSON + "Content-Length: 16\r\n" + DATE
                            + "\r\n{\"status\":\"ok\"}\n");
        }

        @Test
        void withoutABodyHasNoHeadersOfOne() {
            assertThat(written(Reply.NO_CONTENT, PLAIN)).isEqualTo("HTTP/1.1 204 No Content\r\n" + DATE + "\r\n");
        }

        @Test
        void thatIsEmptyButMightNotBeSaysSo() {
            assertThat(written(Reply.redirect("/a"), PLAIN))
                    .isEqualTo(
                            "HTTP/1.1 307 Temporary Redirect\r\nContent-Length: 0\r\nLocation: /a\r\n" + DATE + "\r\n");
        }

        @Test
        void toHeadHasTheLengthOfTheBodyAndNotTheBody() {
            String whole = written(Reply.OK, PLAIN);
            assertThat(written(Reply.OK, HEAD)).isEqualTo(whole.substring(0, whole.indexOf("\r\n\r\n") + 4));
        }

        @Test
        void thatIsTheLastSaysSo() {
            assertThat(written(Reply.NO_CONTENT, CLOSING))
                    .isEqualTo("HTTP/1.1 204 No Content\r\n" + DATE + "Connection: close\r\n\r\n");
            assertThat(written(Reply.NO_CONTENT, HTTP_10_CLOSING))
                    .isEqualTo("HTTP/1.1 204 No Content\r\n" + DATE + "Connection: close\r\n\r\n");
        }

        @Test
        void toAnOlderClientThatWishesToStaySaysThatItMay() {
            assertThat(written(Reply.NO_CONTENT, HTTP_10))
                    .isEqualTo("HTTP/1.1 204 No Content\r\n" + DATE + "Connection: keep-alive\r\n\r\n");
        }

        @Test
        void hasItsOwnHeadersBeforeThoseForBrowsers() {
            Framing cors = new Framing(false, false, true, "Access-Control-Max-Age: 300\r\n");
            assertThat(written(Reply.methodNotAllowed("POST"), cors))
                    .isEqualTo("HTTP/1.1 405 Method Not Allowed\r\n" + JSON
                            + "Content-Length: 31\r\nAllow: POST\r\nAccess-Control-Max-Age: 300\r\n" + DATE
                            + "Connection: close\r\n\r\n{\"error\":\"method_not_allowed\"}\n");
        }

        @Test
        void mayBeLong() {
            Reply reply = Reply.json(200, "x".repeat(100_000).getBytes(ISO_8859_1));
            assertThat(written(reply, PLAIN))
                    .contains("Content-Length: 100000\r\n")
                    .endsWith("x".repeat(100_000));
        }

        @ParameterizedTest
        @ValueSource(ints = {200, 204, 307, 400, 401, 404, 405, 409, 410, 413, 417, 429, 431, 500, 501, 503, 505})
        void hasAReasonForEachStatus(int status) {
            assertThat(written(Reply.json(status, "{}"), PLAIN))
                    .matches("(?s)HTTP/1\\.1 " + status + " [A-Z][^\r]+\r\n.*");
        }
    }

    @Nested
    class ABodyOfUnknownLength {
        @Test
        void comesInChunks() {
            assertThat(head(PLAIN))
                    .isEqualTo("HTTP/1.1 200 OK\r\n" + JSON + "Transfer-Encoding: chunked\r\n" + DATE + "\r\n");
        }

        @Test
        void endsWithTheConnectionForOlderClients() {
            assertThat(head(HTTP_10_CLOSING))
                    .isEqualTo("HTTP/1.1 200 OK\r\n" + JSON + DATE + "Connection: close\r\n\r\n");
        }

        @Test
        void isFramedChunkByChunk() {
            assertThat(chunk("a", false)).isEqualTo("1\r\na\r\n");
            assertThat(chunk("x".repeat(0x1234), false)).isEqualTo("1234\r\n" + "x".repeat(0x1234) + "\r\n");
            assertThat(chunk("ab", true)).isEqualTo("2\r\nab\r\n0\r\n\r\n");
        }

        @Test
        void isNotEndedByAPartThatIsEmpty() {
            assertThat(chunk("", false)).isEmpty();
            assertThat(chunk("", true)).isEqualTo("0\r\n\r\n");
        }

        private String chunk(String part, boolean last) {
            return ReplyWriter.chunk(Buffer.buffer(part), last).toString(ISO_8859_1);
        }
    }

    @Test
    void theDateGoesOnWithTheSecond() {
        assertThat(written(Reply.NO_CONTENT, PLAIN)).contains("08:49:37 GMT\r\n");
        now = now.plusMillis(1);
        assertThat(written(Reply.NO_CONTENT, PLAIN)).contains("\r\nDate: Sun, 06 Nov 1994 08:49:38 GMT\r\n");
        now = Instant.parse("2028-02-29T23:59:59Z");
        assertThat(written(Reply.NO_CONTENT, PLAIN)).contains("\r\nDate: Tue, 29 Feb 2028 23:59:59 GMT\r\n");
    }

    @Test
    void theWordToGoOnIsWrittenAnewEachTime() {
        Buffer first = ReplyWriter.toContinue();
        assertThat(first.toString(ISO_8859_1)).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
        Buffer unused = first.appendString("more");
        assertThat(ReplyWriter.toContinue().toString(ISO_8859_1)).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
    }
}
