package io.flockgate.client.vertx;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.testsupport.JavaSnippets;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The code of the examples for Vert.x. */
final class ReadmeTest {
    private static final String CODE = """
            VertxLeases leases = new VertxLeases(vertx, provider);
            Future<Optional<String>> result =
                    leases.runExclusive(LeaseOptions.of("report"), Duration.ofSeconds(30), grant -> report(grant.lost()));
            """;

    private static Future<String> report(Future<?> end) {
        return Future.succeededFuture(end.isComplete() ? "stopped" : "written");
    }

    @Test
    void theCodeCompilesAndRuns() throws Exception {
        Vertx vertx = Vertx.vertx();
        LeaseProvider provider = Flockgate.inMemory();
        VertxLeases leases = new VertxLeases(vertx, provider);
        Future<Optional<String>> result =
                leases.runExclusive(LeaseOptions.of("report"), Duration.ofSeconds(30), grant -> report(grant.lost()));
        assertThat(get(result)).contains("written");
        get(leases.close());
        get(vertx.close());
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    @Test
    void theReadmeShowsThisCode() throws Exception {
        assertThat(JavaSnippets.notShown(CODE, ReadmeTest.class)).isEmpty();
    }

    @Test
    void theExamplesOfTheJavadocCompile() throws Exception {
        JavaSnippets snippets = JavaSnippets.ofSources(Path.of("src/main/java"));

        assertThat(snippets.types()).contains("VertxLeases");
        assertThat(snippets.errors(
                        List.of("io.flockgate.client.vertx.*", "io.vertx.core.*"),
                        "Vertx vertx; LeaseProvider provider; abstract Future<String> report(Future<LostEvent> lost);"))
                .isEmpty();
    }
}
