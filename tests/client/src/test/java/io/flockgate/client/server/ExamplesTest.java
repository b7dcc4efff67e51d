package io.flockgate.client.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseProvider;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.JavaSnippets;
import io.flockgate.testsupport.Polling;
import io.flockgate.testsupport.Repository;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The examples in the Javadoc of the client and its adapters compile; those of their pages run. */
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

    @TempDir
    private Path directory;

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
        assertThat(snippets.compiled(directory, IMPORTS, Surroundings.class)).isNotEmpty();
    }

    /** Only the addresses differ, and the token, which this gateway does not need. */
    @Tag("process")
    @ParameterizedTest
    @CsvSource({"java, start", "java-examples, report ledger pool lead ledger", "kubernetes, ''"})
    void theCodeOfAPageCallsTheReadersCode(String page, String calls) throws Exception {
        GatewayProcess gateway = SharedGateway.get();
        JavaSnippets snippets = JavaSnippets.ofPage(Repository.file("docs/guide/" + page + ".md"))
                .replacing("(127\\.0\\.0\\.1|gate-\\d):6388", "127.0.0.1:" + gateway.port())
                .replacing("System\\.getenv\\(.*?\\)", "\"none\"")
                .replacing("inCluster\\(\\)", "of(URI.create(\"https://127.0.0.1:1\"), \"default\")");
        List<String> expected =
                Stream.of(calls.split(" ")).filter(each -> !each.isEmpty()).toList();
        Queue<String> called = new ConcurrentLinkedQueue<>();
        Vertx vertx = Vertx.vertx();
        try (LeaseProvider leases = Flockgate.connect(SharedGateway.uri(gateway))) {
            Lease lease = leases.lease("of-" + page);
            for (Class<? extends Surroundings> example : snippets.compiled(directory, IMPORTS, Surroundings.class)) {
                example.getConstructor().newInstance().run(leases, lease, vertx, called);
            }
            Polling.until("the calls are made", () -> called.size() >= expected.size());
            assertThat(called).containsExactlyInAnyOrderElementsOf(expected);
        } finally {
            var unused = vertx.close();
        }
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
