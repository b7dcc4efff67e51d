package io.flockgate.gateway.http;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestTargetTest {
    private static RequestTarget target(String text) {
        return requireNonNull(RequestTarget.parse(text), text);
    }

    @Nested
    class Parsing {
        @ParameterizedTest
        @CsvSource(
                nullValues = "none",
                value = {
                    "/, /, none",
                    "/a, /a, none",
                    "/a?, /a, ''",
                    "/a?b, /a, b",
                    "/a?b?c, /a, b?c",
                    "/a?b=%zz, /a, b=%zz",
                    "/?/b, /, /b",
                    "/a#b?c, /a#b, c",
                    "/a%2Fb, /a%2Fb, none",
                    "/a;b=c, /a;b=c, none",
                    "/http://x/y, /http://x/y, none",
                    "http://host, /, none",
                    "http://host/, /, none",
                    "http://host:6389/v1/stats, /v1/stats, none",
                    "HTTP://host/a?b, /a, b",
                    "https://user@host/a, /a, none",
                    "HtTpS://[::1]:1/a, /a, none",
                    "http://host?q, /, q",
                    "http://host?/q, /, /q",
                    "http:///a, /a, none",
                    "http://, /, none",
                    "http://host//a, //a, none",
                })
        void leavesSchemeAndHostAwayCutsTheQueryOffAndDecodesNothing(String text, String path, String query) {
            assertThat(target(text)).isEqualTo(new RequestTarget(path, query));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "",
                    "a",
                    "*",
                    "host:80",
                    "?",
                    "?a",
                    "#",
                    "http:/a",
                    "http:",
                    "http",
                    "ftp://host/a",
                    "ws://host/",
                    "\\a",
                    "%2Fa",
                    "https:/x",
                    "/%",
                    "/a%4",
                    "/%zz/b",
                    "http://host/%",
                })
        void refusesWhatNamesNoPathOrHasAMalformedEscapeInIt(String text) {
            assertThat(RequestTarget.parse(text)).isNull();
        }

        @Test
        void refusesControlCharactersAndBlanksWhereverTheyAre() {
            for (char c = 0; c < 256; c++) {
                boolean fine = c > ' ' && c != 0x7f && c != '%';
                assertThat(RequestTarget.parse("/a" + c + "b") != null).isEqualTo(fine);
                assertThat(RequestTarget.parse("/a?b" + c) != null).isEqualTo(fine || c == '%');
                assertThat(RequestTarget.parse("http://h" + c + "/a") != null).isEqualTo(fine || c == '%');
            }
        }
    }

    @Nested
    class Cleaning {
        @ParameterizedTest
        @CsvSource({
            "//, /",
            "///a, /a",
            "/a//b, /a/b",
            "/a//, /a/",
            "/., /",
            "/.., /",
            "/./, /",
            "/../, /",
            "/../../a, /a",
            "/a/., /a",
            "/a/./, /a/",
            "/a/.., /",
            "/a/b/.., /a",
            "/a/b/../, /a/",
            "/a/./b/../../c/, /c/",
            "//a?b//c, /a?b//c",
            "/a/..?, /?",
            "/a//%2E%2E/b, /a/%2E%2E/b",
            "//evil.example/..//health, /health",
            "/./\\evil.example, /%5Cevil.example",
        })
        void leavesEmptyAndDottedSegmentsAway(String text, String clean) {
            assertThat(target(text).isUnclean()).isTrue();
            assertThat(target(text).cleaned()).hasToString(clean);
        }
    }
}
