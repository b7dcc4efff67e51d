package io.flockgate.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The lines that {@link TestConventions} reports for classes that break a convention, compiled
 * here.
 */
class TestConventionsFixtureTest {
    private static final Pattern TYPE = Pattern.compile("(?:class|interface|@interface) (\\w+)");
    private static final Pattern PACKAGE = Pattern.compile("package ([\\w.]+);");
    private static final String IMPORTS = """
            import java.util.stream.Stream;
            import org.junit.jupiter.api.*;
            import org.junit.jupiter.api.extension.*;
            import org.junit.jupiter.params.*;
            import org.junit.jupiter.params.provider.*;
            """;

    private static final String NEEDS_PROCESS = " needs the tags [process] and has []";

    @TempDir
    private Path directory;

    /** Compiles each class in its own file. A class without a package gets the imports. */
    private Path compile(String into, String classPath, String... classes) throws IOException {
        Path target = Files.createDirectories(directory.resolve(into));
        List<String> arguments = new ArrayList<>(List.of("-d", target.toString(), "-cp", classPath));
        for (String each : classes) {
            Matcher type = TYPE.matcher(each);
            assertThat(type.find()).isTrue();
            Matcher name = PACKAGE.matcher(each);
            Path file = directory.resolve("src", name.find() ? name.group(1) : "", type.group(1) + ".java");
            Files.createDirectories(file.getParent());
            arguments.add(Files.writeString(file, (each.startsWith("package") ? "" : IMPORTS) + each)
                    .toString());
        }
        int status = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new));
        assertThat(status).isZero();
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
                        "class OneTest { @Test void starts() { new ProcessBuilder(); } @Test void starts_not() {} }"))
                .containsExactly("OneTest.starts" + NEEDS_PROCESS, "OneTest.starts_not is not in camel case");
    }

    @Test
    void aSuperfluousTagOnTheClassOrTheMethod() throws Exception {
        assertThat(violations(
                        "@Tag(\"flood\") class OneTest { @Test void one() {} }",
                        "class TwoTest { @Tag(\"consul\") @Tag(\"slow\") @Tag(\"browser\") @Test void two() {} }"))
                .containsExactly(
                        "OneTest.one needs the tags [] and has [flood]",
                        "TwoTest.two needs the tags [] and has [browser, consul]");
    }

    @Test
    void tagsThatAreRight() throws Exception {
        assertThat(
                        violations(
                                "@Tag(\"process\") class OneTest { @BeforeAll static void start() { new ProcessBuilder(); } @Test void one() {} }",
                                "class TwoTest { @Tag(\"slow\") @Tag(\"process\") @Test void two() { new ProcessBuilder(); } }"))
                .isEmpty();
    }

    @Test
    void noTestAtAll() throws Exception {
        Path classes = compile("classes", classPath(), "class Helper {}");

        assertThat(TestConventions.violations(classes.toUri().toURL()))
                .containsExactly("no test in " + classes.toUri().toURL());
    }

    @Test
    void fixturesAndProductClassesThatStartSomething() throws Exception {
        assertThat(violations(
                        "package io.flockgate.consul.testbed; public class ConsulTls { public static void create() {} }",
                        "package io.flockgate.cli.run; public class RunCommand { public static void run() {} }",
                        "class Tls_Test { @Test void tls() { io.flockgate.consul.testbed.ConsulTls.create(); } }",
                        "class RunTest { @Test void run() { io.flockgate.cli.run.RunCommand.run(); } }",
                        "class ExecTest { @Test void exec() throws Exception { Runtime.getRuntime().exec(new String[0]); } }",
                        "class NoExecTest { @Test void size() { Runtime.getRuntime().maxMemory(); } }"))
                .containsExactly(
                        "ExecTest.exec" + NEEDS_PROCESS,
                        "RunTest.run" + NEEDS_PROCESS,
                        "Tls_Test.tls needs the tags [consul] and has []");
    }

    @Test
    void anOverridingMethodThatAnInheritedTestCalls() throws Exception {
        assertThat(violations(
                        "abstract class Base { @Test void inherited() { begin(); } abstract void begin(); }",
                        "class OneTest extends Base { void begin() { new ProcessBuilder(); } }",
                        "class TwoTest extends Base { void begin() {} }"))
                .containsExactly("OneTest.inherited" + NEEDS_PROCESS);
    }

    @Test
    void aFixtureThatIsCalledThroughItsSupertype() throws Exception {
        assertThat(violations(
                        "class Process implements Runnable { public void run() { new ProcessBuilder(); } }",
                        "class Thread implements Runnable { public void run() {} }",
                        "class OneTest { @Test void one() { Runnable fixture = new Process(); fixture.run(); } }",
                        "class TwoTest { @Test void two() { Runnable fixture = new Thread(); fixture.run(); } }"))
                .containsExactly("OneTest.one" + NEEDS_PROCESS);
    }

    @Test
    void extensionsAndSourcesOfArguments() throws Exception {
        assertThat(violations(
                        "class Bed implements BeforeEachCallback { public void beforeEach(ExtensionContext c) { new ProcessBuilder(); } }",
                        "class FieldTest { @RegisterExtension final Extension bed = new Bed(); @Test void one() {} }",
                        "@ExtendWith(Bed.class) class TypeTest { @Test void one() {} }",
                        "class MethodTest { @ExtendWith(Bed.class) @Test void one() {} @Test void two() {} }",
                        "class Sources { static Stream<String> far() { new ProcessBuilder(); return Stream.of(); } }",
                        """
                        class SourceTest {
                            static Stream<String> near() { new ProcessBuilder(); return Stream.of(); }
                            static Stream<String> same() { new ProcessBuilder(); return Stream.of(); }
                            @ParameterizedTest @MethodSource("near") void one(String a) {}
                            @ParameterizedTest @MethodSource("Sources#far") void two(String a) {}
                            @ParameterizedTest @MethodSource void same(String a) {}
                            @ParameterizedTest @ValueSource(strings = "a") void none(String a) {}
                        }
                        """))
                .containsExactly(
                        "FieldTest.one" + NEEDS_PROCESS,
                        "MethodTest.one" + NEEDS_PROCESS,
                        "SourceTest.one" + NEEDS_PROCESS,
                        "SourceTest.same" + NEEDS_PROCESS,
                        "SourceTest.two" + NEEDS_PROCESS,
                        "TypeTest.one" + NEEDS_PROCESS);
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
                    @Test void own() { new ProcessBuilder(); }
                    @Tag("process") @Test void tagged() { new ProcessBuilder(); }
                }
                """,
                "class TwoTest extends io.flockgate.tck.Contract { protected void begin() { new ProcessBuilder(); } }",
                "class Three extends io.flockgate.tck.Contract { protected void begin() {} }",
                "class FourTest { static class Faulty extends io.flockgate.tck.Contract { protected void begin() {} } @Test void one() {} }");

        assertThat(TestConventions.violations(classes.toUri().toURL()))
                .containsExactly(
                        "OneTest.own" + NEEDS_PROCESS,
                        "OneTest.own_name is not in camel case",
                        "Three has tests that Maven does not run",
                        "TwoTest" + NEEDS_PROCESS);
    }

    @Test
    void jqwikReadsItsOwnTagAlone() throws Exception {
        assertThat(violations(
                        "package net.jqwik.api; public @interface Property {}",
                        "package net.jqwik.api; public @interface Tag { String value(); }",
                        """
                        class OneTest {
                            @net.jqwik.api.Property @Tag("process") void one() { new ProcessBuilder(); }
                            @net.jqwik.api.Property @net.jqwik.api.Tag("process") void two() { new ProcessBuilder(); }
                        }
                        """))
                .containsExactly("OneTest.one" + NEEDS_PROCESS);
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
