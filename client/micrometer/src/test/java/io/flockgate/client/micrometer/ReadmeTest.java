package io.flockgate.client.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.LeaseEnvironment;
import io.flockgate.testsupport.JavaSnippets;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The code of the examples for Micrometer. */
final class ReadmeTest {
    private static final String CODE = """
            LeaseMetrics metrics = new LeaseMetrics();
            metrics.bindTo(registry);
            LeaseEnvironment environment = LeaseEnvironment.system().observer(metrics);
            """;

    @Test
    void theCodeCompilesAndRuns() {
        MeterRegistry registry = new SimpleMeterRegistry();
        LeaseMetrics metrics = new LeaseMetrics();
        metrics.bindTo(registry);
        LeaseEnvironment environment = LeaseEnvironment.system().observer(metrics);
        assertThat(environment.observer()).isSameAs(metrics);
    }

    @Test
    void theReadmeShowsThisCode() throws Exception {
        assertThat(JavaSnippets.notShown(CODE, ReadmeTest.class)).isEmpty();
    }

    @Test
    void theExamplesOfTheJavadocCompile() throws Exception {
        JavaSnippets snippets = JavaSnippets.ofSources(Path.of("src/main/java"));

        assertThat(snippets.types()).contains("LeaseMetrics");
        assertThat(snippets.errors(
                        List.of("io.flockgate.client.micrometer.*", "io.micrometer.core.instrument.*"),
                        "MeterRegistry registry;"))
                .isEmpty();
    }
}
