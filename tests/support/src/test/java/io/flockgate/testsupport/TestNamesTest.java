package io.flockgate.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Maven runs all tests, and their names are in camel case. */
class TestNamesTest {
    private static final Pattern TESTS = Pattern.compile(
            "(?m)^    @(Test|RepeatedTest|TestFactory|ParameterizedTest|Example|Property)\\b|^(final )?class .* extends \\w+Contract\\b");
    private static final Pattern ABSTRACT = Pattern.compile("(?m)^(public )?(abstract class|interface) ");
    private static final Pattern SNAKE_CASE = Pattern.compile("(?m)^ +void \\w+_\\w+\\(");

    /** Those that Surefire runs, and the scene that a profile names. */
    private static final Pattern RUN = Pattern.compile("(.*Test|.*Scene)\\.java");

    @Test
    void aClassWithTestsHasANameThatMavenRuns() throws IOException {
        List<Path> tests = Repository.files(".java").stream()
                .filter(file -> file.toString().contains("/src/test/java/"))
                .toList();
        assertThat(tests).hasSizeGreaterThan(300).allSatisfy(file -> {
            String text = Files.readString(file);
            if (TESTS.matcher(text).find() && !ABSTRACT.matcher(text).find()) {
                assertThat(file.getFileName().toString()).matches(RUN);
            }
            assertThat(text).doesNotContainPattern(SNAKE_CASE);
        });
    }
}
