package io.flockgate.bench.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BareHttpServerTest {
    private static final String TOKEN = "00112233445566778899aabbccddeeff";

    private final Vertx vertx = Vertx.vertx();
    private final HttpClient client = HttpClient.newHttpClient();
    private int port;

    @BeforeEach
    void start() throws Exception {
        HttpServer server = BareHttpServer.listen(vertx, 0)
                .toCompletionStage()
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS);
        port = server.actualPort();
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    private HttpResponse<String> send(String method, String path, String body)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .method(method, BodyPublishers.ofString(body))
                .build();
        return client.send(request, BodyHandlers.ofString());
    }

    @Test
    void itAnswersAsALockServerWould() throws IOException, InterruptedException {
        HttpResponse<String> session = send("POST", "/v1/sessions", "");
        assertThat(session.statusCode()).isEqualTo(200);
        assertThat(session.body()).isEqualTo("{\"session_id\":\"" + TOKEN + "\",\"idle_timeout_s\":20}\n");

        HttpResponse<String> grant = send("POST", "/v1/locks/k", "{\"acquire_timeout_s\":0,\"lease_ttl_s\":10}");
        assertThat(grant.statusCode()).isEqualTo(200);
        assertThat(grant.body()).isEqualTo("{\"status\":\"ok\",\"token\":\"" + TOKEN + "\",\"lease_ttl_s\":10}\n");
        assertThat(grant.headers().map()).containsOnlyKeys("content-type", "x-content-type-options", "content-length");
    }

    @Test
    void aReleaseAndTheEndOfASessionHaveNoContent() throws IOException, InterruptedException {
        HttpResponse<String> release = send("POST", "/v1/locks/k/release", "{\"token\":\"" + TOKEN + "\"}");
        assertThat(release.statusCode()).isEqualTo(204);
        assertThat(release.headers().map()).isEmpty();
        assertThat(send("DELETE", "/v1/sessions/" + TOKEN, "").statusCode()).isEqualTo(204);
    }
}
