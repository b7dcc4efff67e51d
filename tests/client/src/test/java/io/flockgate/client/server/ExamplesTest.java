package io.flockgate.client.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.JavaSnippets;
import io.flockgate.testsupport.Repository;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The examples in the Javadoc of the client and its adapters, and those of their pages. */
final class ExamplesTest {
    private static final List<String> IMPORTS = List.of(
            "io.flockgate.client.kubernetes.*",
            "io.flockgate.client.micrometer.*",
            "io.flockgate.client.shedlock.*",
            "io.flockgate.client.spring.*",
            "io.micrometer.core.instrument.MeterRegistry",
            "io.vertx.core.*",
            "net.javacrumbs.shedlock.core.LockProvider",
            "org.springframework.integration.support.locks.*");
    private static final String MEMBERS = """
            LeaseProvider leases;
            Lease lease;
            MeterRegistry registry;
            Vertx vertx;
            abstract String report(long fence);
            abstract void write(long fence);
            abstract void write(String what);
            abstract void write(String what, long fence);
            abstract void lead(LeaseGrant grant);
            abstract void start(LeaseGrant grant);
            abstract void stop();
            """;

    @ParameterizedTest
    @CsvSource({
        "core, Flockgate ConnectOptions LeaseOptions LeaseProvider Lease BlockingLease LeaseLock LeaseSemaphore LeaderElection",
        "kubernetes, KubernetesBackend KubernetesOptions",
        "micrometer, LeaseMetrics",
        "shedlock, FlockgateLockProvider",
        "spring, FlockgateLockRegistry"
    })
    void everyEntryTypeHasAnExampleThatCompiles(String module, String types) throws Exception {
        JavaSnippets snippets = JavaSnippets.ofSources(Repository.file("client/" + module + "/src/main/java"));

        assertThat(snippets.types()).contains(types.split(" "));
        assertThat(snippets.errors(IMPORTS, MEMBERS)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"java", "java-examples", "kubernetes"})
    void theCodeOfAPageCompiles(String page) throws Exception {
        JavaSnippets snippets = JavaSnippets.ofPage(Repository.file("docs/guide/" + page + ".md"));

        assertThat(snippets.types()).isNotEmpty();
        assertThat(snippets.errors(IMPORTS, MEMBERS)).isEmpty();
    }

    @Test
    void theGuideNamesTheArtifactsOfTheBom() throws Exception {
        String bom = Files.readString(Repository.file("client/bom/pom.xml"));
        String guide = Files.readString(Repository.file("docs/guide/java.md"));
        Set<String> released = Pattern.compile("<artifactId>(flockgate-(?:client|spring)[a-z-]*)</artifactId>")
                .matcher(bom)
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toSet());

        assertThat(released)
                .hasSizeGreaterThan(6)
                .allSatisfy(artifact -> assertThat(guide).contains("`" + artifact + "`"));
        assertThat(bom).contains("<version>0.1.0</version>");
        assertThat(guide).contains("<version>0.1.0</version>").contains("io.flockgate:flockgate-bom:0.1.0");
    }
}
