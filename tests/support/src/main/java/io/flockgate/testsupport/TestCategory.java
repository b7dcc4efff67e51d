package io.flockgate.testsupport;

import com.tngtech.archunit.core.domain.JavaClass;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The category of a test by what it starts in addition to its own JVM, identified by the fixtures
 * and product classes that it uses. A class renamed elsewhere but not here makes the tags of its
 * tests superfluous, so {@link TestConventions} detects it.
 */
enum TestCategory {
    FLOOD,
    BROWSER,
    CONSUL,
    PROCESS;

    String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The categories of a test that uses this class. */
    static Stream<TestCategory> of(JavaClass used) {
        return Stream.of(values()).filter(each -> each.classes().anyMatch(used::isAssignableTo));
    }

    private Stream<String> classes() {
        return switch (this) {
            case FLOOD -> ours("gateway.server.flood.FloodedGateway");
            case BROWSER -> ours("testsupport.Chromium");
            case CONSUL ->
                ours("consul.testbed.ConsulAgent", "consul.testbed.ConsulCluster", "consul.testbed.ConsulTls");
            case PROCESS ->
                Stream.concat(
                        Stream.of(ProcessBuilder.class.getName()),
                        ours(
                                "testsupport.GatewayLauncher",
                                "testsupport.FetchScript",
                                "testsupport.Signals",
                                // These start the command and the shell that guards it, inside the
                                // JVM of their test.
                                "cli.run.RunCommand",
                                "cli.run.Guard",
                                "example.fencing.Scene",
                                "example.fencing.WriterProcess"));
        };
    }

    private static Stream<String> ours(String... names) {
        return Stream.of(names).map("io.flockgate."::concat);
    }

    @Override
    public String toString() {
        return tag();
    }
}
