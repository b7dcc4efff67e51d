package io.flockgate.testsupport;

import com.tngtech.archunit.core.domain.JavaAccess;
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

    boolean isUsedBy(JavaAccess<?> access) {
        JavaClass owner = access.getTargetOwner();
        return switch (this) {
            case FLOOD -> isAny(owner, "gateway.server.flood.FloodedGateway");
            case BROWSER -> isAny(owner, "testsupport.Chromium");
            case CONSUL ->
                isAny(owner, "consul.testbed.ConsulAgent", "consul.testbed.ConsulCluster", "consul.testbed.ConsulTls");
            case PROCESS ->
                owner.isEquivalentTo(ProcessBuilder.class)
                        || (owner.isEquivalentTo(Runtime.class)
                                && access.getName().equals("exec"))
                        || isAny(
                                owner,
                                "testsupport.GatewayLauncher",
                                "testsupport.FetchScript",
                                "testsupport.Signals",
                                // These start the command and the shell that guards it, inside the
                                // JVM of their test.
                                "cli.run.RunCommand",
                                "cli.run.Guard",
                                "example.fencing.Scene",
                                "example.fencing.WriterProcess");
        };
    }

    private static boolean isAny(JavaClass owner, String... names) {
        return Stream.of(names).map("io.flockgate."::concat).anyMatch(owner::isAssignableTo);
    }
}
