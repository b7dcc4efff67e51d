package io.flockgate.starter;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.LeaseProvider;
import io.flockgate.testsupport.Repository;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** An application with only the starter on its class path. */
@Timeout(60)
final class StarterTest {
    @Configuration
    @EnableAutoConfiguration
    static class Application {}

    @Test
    void theStarterAndAListInYamlGiveTheBeans() {
        try (ConfigurableApplicationContext context = SpringApplication.run(Application.class)) {
            assertThat(context.getBeansOfType(LeaseProvider.class)).hasSize(1);
            assertThat(context.getBeanNamesForType(Object.class))
                    .as("without ShedLock and Spring Integration")
                    .noneMatch(name -> name.contains("LockProvider") || name.contains("LockRegistry"));
        }
    }

    @Test
    void theGuideShowsThisYaml() throws Exception {
        String yaml = Files.readString(Path.of("src/test/resources/application.yaml"));

        assertThat(Files.readString(Repository.file("docs/guide/java.md"))).contains("```yaml\n" + yaml + "```\n");
    }
}
