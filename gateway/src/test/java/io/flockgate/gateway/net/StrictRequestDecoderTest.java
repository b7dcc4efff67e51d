package io.flockgate.gateway.net;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StrictRequestDecoderTest {
    private static final String HOST = "\r\nHost: h\r\n\r\n";

    private final EmbeddedChannel channel = new EmbeddedChannel(new StrictRequestDecoder(new HttpDecoderConfig()));

    @AfterEach
    void end() {
        boolean unused = channel.finishAndReleaseAll();
    }

    private List<HttpRequest> decoded(String... pieces) {
        return decoded(channel, pieces);
    }

    private static List<HttpRequest> decoded(EmbeddedChannel channel, String... pieces) {
        for (String piece : pieces) {
            boolean unused = channel.writeInbound(Unpooled.copiedBuffer(piece, ISO_8859_1));
        }
        List<HttpRequest> requests = new ArrayList<>();
        for (Object message = channel.readInbound(); message != null; message = channel.readInbound()) {
            if (message instanceof HttpRequest request) {
                requests.add(request);
            }
            boolean unused = ReferenceCountUtil.release(message);
        }
        return requests;
    }

    private static void expectDecoded(HttpRequest request, String method, String uri) {
        assertThat(request.decoderResult().isSuccess()).isTrue();
        assertThat(request.method().name()).isEqualTo(method);
        assertThat(request.uri()).isEqualTo(uri);
    }

    @Test
    void wordsWithOneSpaceBetweenThemAreARequest() {
        List<HttpRequest> requests = decoded("GET /a HTTP/1.1" + HOST + "DELETE /%20?b HTTP/1.0" + HOST);
        assertThat(requests).hasSize(2);
        expectDecoded(requests.getFirst(), "GET", "/a");
        expectDecoded(requests.getLast(), "DELETE", "/%20?b");
        assertThat(requests.getLast().protocolVersion().minorVersion()).isZero();
    }

    @Test
    void aLineThatComesByteByByteIsTheSameLine() {
        List<HttpRequest> requests = decoded(("GET /a HTTP/1.1" + HOST).split(""));
        assertThat(requests).hasSize(1);
        expectDecoded(requests.getFirst(), "GET", "/a");
    }

    @Test
    void bytesOfATargetStayWhatTheyAre() {
        expectDecoded(decoded("GET /\u00ff\u00e4 HTTP/1.1" + HOST).getFirst(), "GET", "/\u00ff\u00e4");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET  /a HTTP/1.1",
                "GET /a  HTTP/1.1",
                "GET\t/a HTTP/1.1",
                "GET /a\tHTTP/1.1",
                "GET \t/a HTTP/1.1",
                "GET\u000b/a HTTP/1.1",
                "GET /a\u000cHTTP/1.1",
                "GET /a \u000bHTTP/1.1",
                "GET\r/a HTTP/1.1",
                "GET /a\rHTTP/1.1",
            })
    void anyOtherWhiteSpaceBetweenThemIsAFailure(String line) {
        List<HttpRequest> requests = decoded(line + HOST);
        assertThat(requests).hasSize(1);
        assertThat(requests.getFirst().decoderResult().isFailure()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "GET /a", "GET /a HTTP/1.1 x", "GET /a b HTTP/1.1", "/a HTTP/1.1", "GET /a HTTP/x"})
    void moreOrFewerWordsAreAFailure(String line) {
        List<HttpRequest> requests = decoded(line + HOST);
        assertThat(requests).hasSize(1);
        assertThat(requests.getFirst().decoderResult().isFailure()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X: a\r\n b",
                "X: a\n b",
                "X: a\r\n\tb",
                "X: a\r\n ",
                " X: a",
                "\rX: a\r\n b",
                "X: a\r\nY: b\r\n c"
            })
    void aHeaderOnMoreThanOneLineIsAFailureHoweverItComes(String header) {
        String folded = "POST /a HTTP/1.1\r\n" + header + HOST + "GET /b HTTP/1.1" + HOST;
        for (String[] pieces : List.of(new String[] {folded}, folded.split(""), folded.split("(?<=\n)"))) {
            EmbeddedChannel fresh = new EmbeddedChannel(new StrictRequestDecoder(new HttpDecoderConfig()));
            List<HttpRequest> requests = decoded(fresh, pieces);
            assertThat(requests).hasSize(1);
            assertThat(requests.getFirst().decoderResult().isFailure()).isTrue();
            boolean unused = fresh.finishAndReleaseAll();
        }
    }

    @Test
    void aBodyMayHaveLinesThatBeginWithABlank() {
        String head = "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n";
        List<HttpRequest> requests =
                decoded(head + "{\n  }\r\n \n", head, " \n \n \n \n ", head + "\n\n\n\n\n\n\n\n\n");
        assertThat(requests).hasSize(3).allSatisfy(request -> expectDecoded(request, "POST", "/a"));
    }

    @Test
    void thereMayBeSoManyHeadersAndNoMore() {
        String most = "X: y\r\n".repeat(StrictRequestDecoder.MOST_HEADERS);
        assertThat(decoded("GET /a HTTP/1.1\r\n" + most + "\r\n")
                        .getFirst()
                        .decoderResult()
                        .isSuccess())
                .isTrue();
        HttpRequest tooMany =
                decoded("GET /a HTTP/1.1\r\n" + most + "X: y\r\n\r\n").getFirst();
        assertThat(tooMany.decoderResult().cause()).isInstanceOf(TooLongHttpHeaderException.class);
    }

    @Test
    void trailersAreNotKept() {
        String head = "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n";
        assertThat(channel.writeInbound(Unpooled.copiedBuffer(head + "X: a\r\n b\r\n\r\n", ISO_8859_1)))
                .isTrue();
        HttpRequest request = channel.readInbound();
        expectDecoded(request, "POST", "/a");
        LastHttpContent last = channel.readInbound();
        assertThat(last.decoderResult().isSuccess()).isTrue();
        assertThat(last.trailingHeaders()).isEmpty();
    }

    @Test
    void nothingIsDecodedBehindAFailure() {
        assertThat(decoded("GET  /a HTTP/1.1" + HOST + "GET /b HTTP/1.1" + HOST))
                .hasSize(1);
        assertThat(decoded("GET /c HTTP/1.1" + HOST)).isEmpty();
    }
}
