package io.flockgate.client.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.flockgate.client.Lease;
import io.flockgate.client.kubernetes.KubernetesBackend;
import io.flockgate.client.micrometer.LeaseMetrics;
import io.flockgate.client.shedlock.FlockgateLockProvider;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Requires.Modifier;
import java.lang.module.ModuleFinder;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A modular application compiles with what a module of the client requires, and nothing optional.
 */
final class ModulesTest {
    private static final String MODULES = Stream.of(
                    Lease.class,
                    KubernetesBackend.class,
                    JsonMapper.class,
                    JsonFactory.class,
                    JsonFormat.class,
                    LeaseMetrics.class,
                    MeterRegistry.class)
            .map(ModulesTest::origin)
            .collect(Collectors.joining(File.pathSeparator));

    @ParameterizedTest
    @CsvSource({
        "17,io.flockgate.client,Lease",
        "25,io.flockgate.client,Lease",
        "17,io.flockgate.client.kubernetes,KubernetesOptions",
        "25,io.flockgate.client.kubernetes,KubernetesOptions",
        "17,io.flockgate.client.micrometer,LeaseMetrics",
        "25,io.flockgate.client.micrometer,LeaseMetrics"
    })
    void oneRequiresIsEnough(String release, String module, String type, @TempDir Path directory) throws Exception {
        Path descriptor = Files.writeString(
                directory.resolve("module-info.java"), "module application { requires " + module + "; }");
        Path user = Files.writeString(
                directory.resolve("User.java"),
                "package application; interface User { " + module + "." + type + " it(); }");
        StringWriter output = new StringWriter();
        String[] arguments = {
            "--release",
            release,
            "-Xlint:all,-requires-transitive-automatic",
            "-proc:none",
            "-cp",
            "",
            "-p",
            MODULES,
            "-d",
            directory + "/classes",
            descriptor.toString(),
            user.toString()
        };

        ToolProvider.findFirst("javac").orElseThrow().run(new PrintWriter(output), new PrintWriter(output), arguments);

        assertThat(output).hasToString("");
    }

    /** To compile with it is ShedLock's matter: its own descriptor asks for what is optional. */
    @Test
    void theModuleForShedLockPassesNothingOptionalOn() {
        ModuleDescriptor module = ModuleFinder.of(Path.of(origin(FlockgateLockProvider.class)))
                .find("io.flockgate.client.shedlock")
                .orElseThrow()
                .descriptor();

        assertThat(module.requires())
                .noneMatch(one -> one.modifiers().containsAll(Set.of(Modifier.STATIC, Modifier.TRANSITIVE)));
    }

    private static String origin(Class<?> type) {
        try {
            return Path.of(Objects.requireNonNull(type.getProtectionDomain().getCodeSource())
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
