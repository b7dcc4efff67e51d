package io.flockgate.client.onconsul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.LeaseProvider;
import io.flockgate.client.consul.ConsulBackend;
import io.flockgate.client.consul.ConsulOptions;
import io.flockgate.testsupport.JavaSnippets;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The code of the page of Java examples for Consul. */
class ReadmeTest {
    private static final String CODE = """
            ```java
            URI agent = URI.create("consul://127.0.0.1:8500/flockgate");
            ConsulOptions options = ConsulOptions.agents(List.of(agent))
                    .clientName("billing-7")
                    .aclTokenFile(Path.of("/run/secrets/consul-token"));
            LeaseProvider leases = ConsulBackend.connect(options);
            ```
            """;

    @Test
    void theCodeRuns() throws Exception {
        URI agent = URI.create("consul://127.0.0.1:8500/flockgate");
        ConsulOptions options = ConsulOptions.agents(List.of(agent))
                .clientName("billing-7")
                .aclTokenFile(Path.of("/run/secrets/consul-token"));
        LeaseProvider leases = ConsulBackend.connect(options);
        leases.close();

        assertThat(options.toString()).contains("billing-7").doesNotContain("secret");
        assertThat(Files.readString(Path.of("..", "docs", "guide", "java-examples.md")))
                .contains(CODE);
    }

    @Test
    void theExamplesOfTheJavadocCompile() throws Exception {
        JavaSnippets snippets = JavaSnippets.ofSources(Path.of("../client-consul/src/main/java"));

        assertThat(snippets.types()).contains("ConsulBackend", "ConsulOptions");
        assertThat(snippets.errors(List.of("io.flockgate.client.consul.*", "java.nio.file.Path"), ""))
                .isEmpty();
    }
}
