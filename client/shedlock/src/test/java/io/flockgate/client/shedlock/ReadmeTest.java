package io.flockgate.client.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseBackend;
import io.flockgate.testsupport.JavaSnippets;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import net.javacrumbs.shedlock.core.LockProvider;
import org.junit.jupiter.api.Test;

/** The code of the examples for ShedLock. */
final class ReadmeTest {
    private static final String CODE = """
            List<URI> servers = List.of(URI.create("flockgate://127.0.0.1:6388"));
            LeaseBackend backend = Flockgate.backend(ConnectOptions.defaults(), servers);
            LockProvider provider = new FlockgateLockProvider(backend);
            """;

    @Test
    void theCodeCompilesAndRuns() {
        List<URI> servers = List.of(URI.create("flockgate://127.0.0.1:6388"));
        LeaseBackend backend = Flockgate.backend(ConnectOptions.defaults(), servers);
        LockProvider provider = new FlockgateLockProvider(backend);
        assertThat(provider).isNotNull();
        backend.close();
    }

    @Test
    void theReadmeShowsThisCode() throws Exception {
        assertThat(JavaSnippets.notShown(CODE, ReadmeTest.class)).isEmpty();
    }

    @Test
    void theExamplesOfTheJavadocCompile() throws Exception {
        JavaSnippets snippets = JavaSnippets.ofSources(Path.of("src/main/java"));

        assertThat(snippets.types()).contains("FlockgateLockProvider");
        assertThat(snippets.errors(List.of("io.flockgate.client.shedlock.*", "net.javacrumbs.shedlock.core.*"), ""))
                .isEmpty();
    }
}
