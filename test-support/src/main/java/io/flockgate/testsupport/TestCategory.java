package io.flockgate.testsupport;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * What a test starts beside its own JVM, told by the fixtures and product classes that it uses. A
 * rename that is forgotten here turns the tags of their tests superfluous, so {@link
 * TestConventions} finds it.
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
                                // They start the command and the shell that guards it, inside the JVM of their test.
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
