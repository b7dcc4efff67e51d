package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of the page for operators, over HTTP. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PageFilesTest {
    private static final Path SOURCES = Repository.file("gateway/src/main/resources/ui");
    private static final int MAX_BYTES = 79_000;

    @AutoClose
    private final TestGateway gateway = TestGateway.startWithHttp();

    @ParameterizedTest
    @CsvSource({"/, html", "/ui/style.css, css", "/ui/app.js, javascript"})
    void everyFileComesWithAStrictPolicyAndMayBeKeptButNotUsedUnasked(String path, String type) throws IOException {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            Response file = http.get(path);
            assertThat(file.status()).isEqualTo(200);
            assertThat(file.header("Content-Type")).hasValue("text/" + type + "; charset=utf-8");
            assertThat(file.header("Content-Security-Policy"))
                    .hasValue("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                            + "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
            assertThat(file.header("X-Content-Type-Options")).hasValue("nosniff");
            assertThat(file.header("Referrer-Policy")).hasValue("no-referrer");
            assertThat(file.header("Cache-Control")).hasValue("no-cache");
            String tag = file.header("ETag").orElseThrow();
            Response again = http.ask("GET", path, "If-None-Match: " + tag + "\r\n", "");
            assertThat(again.status()).isEqualTo(304);
            assertThat(again.body()).isEmpty();
            assertThat(http.ask("GET", path, "If-None-Match: \"other\"\r\n", "").body())
                    .isEqualTo(file.body());
            Response head = http.ask("HEAD", path, "", "");
            assertThat(head.headers().stream().filter(line -> !line.startsWith("Date")))
                    .containsExactlyElementsOf(file.headers().stream()
                            .filter(line -> !line.startsWith("Date"))
                            .toList());
        }
    }

    @Test
    void everyFileIsServedAndAllTogetherAreSmall() throws IOException {
        long bytes = 0;
        try (RawHttp http = RawHttp.of(gateway.httpPort());
                Stream<Path> files = Files.list(SOURCES)) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                assertThat(http.get(name.equals("index.html") ? "/" : "/ui/" + name)
                                .status())
                        .as(name)
                        .isEqualTo(200);
                bytes += Files.size(file);
            }
        }
        assertThat(bytes).isBetween(1L, (long) MAX_BYTES);
    }

    /**
     * With textContent and elements no text can become markup. A proxy may serve the page below a
     * path, so no address begins with a slash.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "innerHTML|outerHTML|insertAdjacentHTML|document\\.write|\\beval\\b|new Function|srcdoc|DOMParser",
                "['\"`]/(v1|ui|health|ready|metrics)\\b(?! says)|(src|href)=[\"']?/"
            })
    void noFileMakesMarkupOfTextOrNamesAPathFromTheRoot(String unwanted) throws IOException {
        try (Stream<Path> files = Files.list(SOURCES)) {
            for (Path file : files.toList()) {
                assertThat(Files.readString(file)).as("%s", file).doesNotContainPattern(unwanted);
            }
        }
    }

    @Test
    void otherPathsAreNotFound() throws IOException {
        try (RawHttp http = RawHttp.of(gateway.httpPort())) {
            for (String path : List.of("/ui", "/ui/", "/ui/none.js", "/ui/app.js/", "/index.html", "/%75i/app.js")) {
                assertThat(http.get(path).status()).as(path).isEqualTo(404);
            }
        }
    }
}
