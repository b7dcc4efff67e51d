package io.flockgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.http.HttpVersion;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestHeadTest {
    private static final HttpVersion V10 = HttpVersion.HTTP_1_0;
    private static final HttpVersion V11 = HttpVersion.HTTP_1_1;

    private static void expectRefused(HeadReading reading, int status) {
        assertThat(reading)
                .isInstanceOfSatisfying(
                        HeadReading.Refused.class,
                        refused -> assertThat(refused.status()).isEqualTo(status));
    }

    private static RequestHead understood(HeadReading reading) {
        assertThat(reading).isInstanceOf(RequestHead.class);
        return (RequestHead) reading;
    }

    private static HeadReading post(HttpVersion version, String... headers) {
        return Heads.read(version, "POST", "/a", headers);
    }

    @Nested
    class IsRefused {
        @Test
        void aTargetThatNamesAnotherHost() {
            expectRefused(Heads.read(V11, "GET", "http://evil.example/v1/keys", "Host", "localhost"), 400);
            expectRefused(Heads.read(V11, "GET", "HTTPS://user@h?x", "Host", "h"), 400);
            assertThat(understood(Heads.read(V11, "GET", "http://H:80/v1/keys", "Host", "h:80"))
                            .target()
                            .path())
                    .isEqualTo("/v1/keys");
            assertThat(understood(Heads.read(V10, "GET", "http://h/v1/keys")).isHttp10())
                    .isTrue();
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
            expectRefused(post(V10, "Content-Length", "3", "Content-Length", "4"), 400);
        }

        @Test
        void aHeaderWithoutAName() {
            expectRefused(post(V11, "Host", "h", "", "x"), 400);
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
            expectRefused(Heads.read(V11, "OPTIONS", "*", "Host", "h"), 400);
            expectRefused(Heads.read(V11, "GET", "/%zz", "Host", "h"), 400);
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
