package io.flockgate.client.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseProvider;
import io.flockgate.testsupport.JavaSnippets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;

/** The code of the examples for Spring. */
final class ReadmeTest {
    private static final String CODE = """
            LockRegistry<DistributedLock> locks = new FlockgateLockRegistry(leases);
            locks.executeLocked("ledger", () -> write("ledger"));
            """;

    private String written = "";

    private void write(String what) {
        written = what;
    }

    @Test
    void theCodeCompilesAndRuns() throws Exception {
        try (LeaseProvider leases = Flockgate.inMemory()) {
            LockRegistry<DistributedLock> locks = new FlockgateLockRegistry(leases);
            locks.executeLocked("ledger", () -> write("ledger"));
        }
        assertThat(written).isEqualTo("ledger");
    }

    @Test
    void theReadmeShowsThisCode() throws Exception {
        assertThat(JavaSnippets.notShown(CODE, ReadmeTest.class)).isEmpty();
    }

    @Test
    void theExamplesOfTheJavadocCompile() throws Exception {
        JavaSnippets snippets = JavaSnippets.ofSources(Path.of("src/main/java"));

        assertThat(snippets.types()).contains("FlockgateLockRegistry");
        assertThat(snippets.errors(
                        List.of("io.flockgate.client.spring.*", "org.springframework.integration.support.locks.*"),
                        "LeaseProvider leases; abstract void write(String what);"))
                .isEmpty();
    }
}
