package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The health check of the image. */
@Tag("process")
class HealthCheckTest {
    @TempDir
    Path directory;

    /** The exit status, where the server was started with these flags and variables. */
    private int check(Map<String, String> variables, String... flags) throws Exception {
        List<String> words = new ArrayList<>(List.of("java", "io.flockgate.gateway.Main"));
        words.addAll(List.of(flags));
        Path line = Files.writeString(directory.resolve("cmdline"), String.join("\0", words) + "\0");
        ProcessBuilder builder = new ProcessBuilder("bash", "../deploy/docker/health")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().keySet().removeIf(name -> name.startsWith("DFLOCKD_"));
        builder.environment().put("FLOCKGATE_COMMAND_LINE", line.toString());
        builder.environment().putAll(variables);
        Process process = builder.start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    @Test
    void flagsAndVariablesCount() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp()) {
            String port = String.valueOf(gateway.port());
            String http = String.valueOf(gateway.httpPort());
            assertThat(check(Map.of("DFLOCKD_PORT", port, "DFLOCKD_HTTP_PORT", http)))
                    .isZero();
            assertThat(check(
                            Map.of("DFLOCKD_PORT", "1", "DFLOCKD_HTTP_PORT", "1"),
                            "--port=" + port,
                            "-http-port",
                            http))
                    .isZero();
            assertThat(check(Map.of("DFLOCKD_PORT", port, "DFLOCKD_HTTP_PORT", "1")))
                    .isNotZero();
        }
    }

    @Test
    void tlsByFlagsIsHealthy() throws Exception {
        String[] tls = TlsClients.flags("rsa.crt", "rsa-pkcs8.key");
        try (TestGateway gateway = TestGateway.startWithHttp(tls)) {
            Map<String, String> ports = Map.of(
                    "DFLOCKD_PORT", String.valueOf(gateway.port()),
                    "DFLOCKD_HTTP_PORT", String.valueOf(gateway.httpPort()));
            assertThat(check(ports, tls)).isZero();
        }
    }
}
