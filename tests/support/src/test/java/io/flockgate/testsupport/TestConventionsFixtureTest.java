package io.flockgate.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The lines that {@link TestConventions} reports for classes that break a convention, compiled
 * here. If it follows too few calls, tags in other modules become superfluous, which it reports
 * there.
 */
class TestConventionsFixtureTest {
    private static final Pattern TYPE = Pattern.compile("(?:class|interface|@interface) (\\w+)");
    private static final String IMPORTS = "import org.junit.jupiter.api.*;\n";

    private static final String NEEDS_PROCESS = " needs the tags [process] and has []";

    @TempDir
    private Path directory;

    /** Compiles each class in its own file. A class without a package gets the imports. */
    private Path compile(String into, String classPath, String... classes) throws IOException {
        Path target = directory.resolve(into);
        Map<String, String> sources = new HashMap<>();
        for (String each : classes) {
            Matcher type = TYPE.matcher(each);
            assertThat(type.find()).isTrue();
            sources.put(type.group(1), (each.startsWith("package") ? "" : IMPORTS) + each);
        }
        assertThat(JavaSnippets.compile(target, classPath, sources)).isEmpty();
        return target;
    }

    private static String classPath() {
        String path = System.getProperty("java.class.path");
        return System.getProperty("surefire.test.class.path", path);
    }

    private List<String> violations(String... classes) throws IOException {
        return TestConventions.violations(
                compile("classes", classPath(), classes).toUri().toURL());
    }

    @Test
    void aMissingTag() throws Exception {
        assertThat(violations(
                        "class OneTest { @Nested class Inner { @Test void starts() { new Helper(); } } @Test void starts_not() {} }",
                        "class Helper { ProcessBuilder later; }"))
                .containsExactly("OneTest" + NEEDS_PROCESS, "OneTest.starts_not is not in camel case");
    }

    @Test
    void aSuperfluousTagOnTheClassOrTheMethod() throws Exception {
        assertThat(violations(
                        "@Tag(\"flood\") class OneTest { @Test void one() {} }",
                        "class TwoTest { @Tag(\"consul\") @Tag(\"slow\") @Tag(\"browser\") @Test void two() {} }"))
                .containsExactly(
                        "OneTest needs the tags [] and has [flood]",
                        "TwoTest needs the tags [] and has [browser, consul]");
    }

    @Test
    void noTestAtAll() throws Exception {
        Path classes = compile("classes", classPath(), "class Helper {}");

        assertThat(TestConventions.violations(classes.toUri().toURL()))
                .containsExactly("no test in " + classes.toUri().toURL());
    }

    @Test
    void theOwnTestsOfAContractsSubclass() throws Exception {
        Path contract = compile(
                "contract",
                classPath(),
                "package io.flockgate.tck; public abstract class Contract { protected abstract void begin(); }");
        Path classes = compile(
                "classes",
                classPath() + File.pathSeparator + contract,
                """
                class OneTest extends io.flockgate.tck.Contract {
                    protected void begin() {}
                    @Test void own_name() {}
                }
                """,
                "class TwoTest extends io.flockgate.tck.Contract { protected void begin() { new ProcessBuilder(); } }",
                "class Three extends io.flockgate.tck.Contract { protected void begin() {} }",
                "class FourTest { static class Faulty extends io.flockgate.tck.Contract { protected void begin() {} } @Test void one() {} }");

        assertThat(TestConventions.violations(classes.toUri().toURL()))
                .containsExactly(
                        "OneTest.own_name is not in camel case",
                        "Three has tests that Maven does not run",
                        "TwoTest" + NEEDS_PROCESS);
    }

    @Test
    void namesThatMavenDoesNotRun() throws Exception {
        assertThat(violations(
                        "class Checks { @Test void one() {} }",
                        "abstract class Cases { @Test void one() {} }",
                        "class TestOfOne { @Test void one() {} static class InnerTest { @Test void two() {} } }",
                        "class OuterTest { @Nested class Inner { @Test void one() {} } }"))
                .containsExactly(
                        "Checks has tests that Maven does not run", "InnerTest has tests that Maven does not run");
    }
}
