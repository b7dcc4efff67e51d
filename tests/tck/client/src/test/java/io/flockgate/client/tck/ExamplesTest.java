package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.JavaSnippets;
import io.flockgate.testsupport.Repository;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The examples in the Javadoc of the client, and those of its guide. */
final class ExamplesTest {
    private static final Path GUIDE = Repository.file("docs/guide/java.md");
    private static final String MEMBERS = """
            LeaseProvider leases;
            abstract String report(long fence);
            abstract void write(long fence);
            abstract void start(LeaseGrant grant);
            abstract void stop();
            """;

    @Test
    void everyEntryTypeHasAnExampleThatCompiles() throws Exception {
        JavaSnippets snippets = JavaSnippets.ofSources(Repository.file("client/core/src/main/java"));

        assertThat(snippets.types())
                .containsAll(Set.of(
                        "Flockgate",
                        "ConnectOptions",
                        "LeaseOptions",
                        "LeaseProvider",
                        "Lease",
                        "BlockingLease",
                        "LeaseLock",
                        "LeaseSemaphore",
                        "LeaderElection"));
        assertThat(snippets.errors(List.of(), MEMBERS)).isEmpty();
    }

    @Test
    void theCodeOfTheGuideCompiles() throws Exception {
        JavaSnippets snippets = JavaSnippets.ofPage(GUIDE);

        assertThat(snippets.types()).isNotEmpty();
        assertThat(snippets.errors(List.of(), MEMBERS)).isEmpty();
    }

    @Test
    void theGuideNamesTheArtifactsOfTheBom() throws Exception {
        String bom = Files.readString(Repository.file("client/bom/pom.xml"));
        String guide = Files.readString(GUIDE);
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
