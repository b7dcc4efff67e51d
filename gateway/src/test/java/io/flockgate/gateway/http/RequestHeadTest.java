package io.flockgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.http.RequestHead.Reading;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestHeadTest {
    private static final HttpVersion V10 = HttpVersion.HTTP_1_0;
    private static final HttpVersion V11 = HttpVersion.HTTP_1_1;

    private static void expectRefused(HttpRequest request, int status) {
        assertThat(RequestHead.read(request))
                .isInstanceOfSatisfying(
                        Reading.Refused.class,
                        refused -> assertThat(refused.status()).isEqualTo(status));
    }

    private static RequestHead understood(HttpRequest request) {
        Reading reading = RequestHead.read(request);
        assertThat(reading).isInstanceOf(Reading.Understood.class);
        return ((Reading.Understood) reading).head();
    }

    private static HttpRequest post(HttpVersion version, String... headers) {
        return Heads.request(version, "POST", "/a", headers);
    }

    @Nested
    class IsRefused {
        @Test
        void whatCouldNotBeDecoded() {
            HttpRequest request = post(V11, "Host", "h");
            request.setDecoderResult(DecoderResult.failure(new IllegalArgumentException("x")));
            expectRefused(request, 400);
            request.setDecoderResult(DecoderResult.failure(new TooLongHttpHeaderException()));
            expectRefused(request, 431);
            request.setDecoderResult(DecoderResult.failure(new TooLongHttpLineException()));
            expectRefused(request, 431);
        }

        @Test
        void anotherVersionOfHttp() {
            expectRefused(post(HttpVersion.valueOf("HTTP/2.0"), "Host", "h"), 505);
            expectRefused(post(HttpVersion.valueOf("HTTP/0.9"), "Host", "h"), 505);
        }

        @Test
        void whatNamesNoHostOrTwo() {
            expectRefused(post(V11), 400);
            expectRefused(post(V11, "Host", "h", "host", "h"), 400);
            expectRefused(post(V10, "Host", "h", "Host", "i"), 400);
            assertThat(understood(post(V10)).isHttp10()).isTrue();
            assertThat(understood(post(V11, "Host", "")).isHttp10()).isFalse();
        }

        @ParameterizedTest
        @ValueSource(
                strings = {"identity", "xchunked", "gzip, chunked", "chunked, chunked", "", "chunked;q=1", "chunked,"})
        void aTransferCodingThatIsNotKnown(String coding) {
            expectRefused(post(V11, "Host", "h", "Transfer-Encoding", coding), 501);
        }

        @Test
        void whatHasTwoLengthsOrCodings() {
            expectRefused(post(V11, "Host", "h", "Transfer-Encoding", "chunked", "Content-Length", "3"), 400);
            expectRefused(post(V11, "Host", "h", "Transfer-Encoding", "x", "Content-Length", "3"), 400);
            expectRefused(post(V11, "Host", "h", "Transfer-Encoding", "chunked", "Transfer-Encoding", "chunked"), 501);
            expectRefused(post(V10, "Transfer-Encoding", "chunked"), 400);
        }

        @Test
        void anExpectationThatIsNotKnown() {
            expectRefused(post(V11, "Host", "h", "Expect", "200-ok"), 417);
            assertThat(understood(post(V10, "Expect", "200-ok")).expectsContinue())
                    .isFalse();
            assertThat(understood(post(V11, "Host", "h", "Expect", "100-Continue"))
                            .expectsContinue())
                    .isTrue();
        }

        @Test
        void aTargetThatIsNone() {
            expectRefused(Heads.request(V11, "OPTIONS", "*", "Host", "h"), 400);
            expectRefused(Heads.request(V11, "GET", "/%zz", "Host", "h"), 400);
        }
    }

    @Nested
    class AConnection {
        @Test
        void isKeptByNewerClientsUnlessTheySayOtherwise() {
            assertThat(understood(post(V11, "Host", "h")).keepsAlive()).isTrue();
            assertThat(understood(post(V11, "Host", "h", "Connection", "Close")).keepsAlive())
                    .isFalse();
            assertThat(understood(post(V11, "Host", "h", "Connection", "x, close"))
                            .keepsAlive())
                    .isFalse();
        }

        @Test
        void isKeptByOlderClientsOnlyIfTheySaySo() {
            assertThat(understood(post(V10)).keepsAlive()).isFalse();
            assertThat(understood(post(V10, "Connection", "Keep-Alive")).keepsAlive())
                    .isTrue();
        }
    }

    @Test
    void theLengthOfABodyIsTheOneAnnouncedOrUnknown() {
        assertThat(understood(post(V11, "Host", "h")).contentLength()).isZero();
        assertThat(understood(post(V11, "Host", "h", "Content-Length", "9223372036854775807"))
                        .contentLength())
                .isEqualTo(Long.MAX_VALUE);
        assertThat(understood(post(V11, "Host", "h", "Transfer-Encoding", "Chunked"))
                        .contentLength())
                .isEqualTo(-1);
    }

    @Test
    void headersAreFoundInAnyCase() {
        RequestHead head = Heads.of("GET", "/a", "X-Dflockd-SESSION", "s", "x-dflockd-session", "t");
        assertThat(head.header("X-Dflockd-Session")).isEqualTo("s");
        assertThat(head.header("Origin")).isNull();
        assertThat(head.method()).isEqualTo("GET");
    }
}
