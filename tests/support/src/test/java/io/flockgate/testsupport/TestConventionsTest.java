package io.flockgate.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TestConventionsTest {

    @Test
    void testsAreNamedAndTaggedAsAgreed() {
        assertThat(TestConventions.violations(TestConventionsTest.class)).isEmpty();
    }

    @Test
    void everyModuleWithTestsChecksThem() throws Exception {
        List<Path> modules = Files.readAllLines(Repository.file("pom.xml")).stream()
                .filter(line -> line.contains("<module>"))
                .map(line -> line.replaceAll(".*<module>|</module>.*", ""))
                .map(Repository::file)
                .toList();

        assertThat(modules).hasSizeGreaterThan(10);
        assertThat(modules)
                .allMatch(module -> javaTests(module).isEmpty()
                        || javaTests(module).stream().anyMatch(file -> file.endsWith("TestConventionsTest.java")));
    }

    private static List<Path> javaTests(Path module) {
        Path sources = module.resolve("src/test/java");
        if (!Files.exists(sources)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(sources)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
