package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The document that the server serves is the published one, and tells its paths. */
class OpenApiTest {
    @Test
    void theServedDocumentIsThePublishedOneAndNeedsNoToken() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp("--auth-token=s3cret");
                RawHttp http = RawHttp.of(gateway.httpPort())) {
            Response served = http.get("/v1/openapi.json");
            assertThat(served.status()).isEqualTo(200);
            assertThat(served.header("Content-Type")).contains("application/json");
            assertThat(served.header("Cache-Control")).contains("public, max-age=60");
            assertThat(served.body().getBytes(StandardCharsets.ISO_8859_1)).isEqualTo(Files.readAllBytes(published()));
        }
    }

    private static Path published() {
        for (Path dir = Path.of("").toAbsolutePath(); dir != null; dir = dir.getParent()) {
            Path file = dir.resolve("protocol-docs").resolve("openapi.json");
            if (Files.exists(file)) {
                return file;
            }
        }
        throw new AssertionError("no protocol-docs/openapi.json here or above");
    }
}
