package io.flockgate.client.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.LeaseProvider;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An API server behind a name with several addresses. */
@Tag("process")
class KubernetesNamesTest {
    private static final String DEAD = "127.0.0.2";

    /** Not in the certificate, which names localhost. */
    private static final String LIVE = "127.0.0.3";

    @TempDir
    Path directory;

    /** The arguments are the server, its authority, and the name to claim. */
    public static void main(String[] args) throws Exception {
        KubernetesOptions options =
                KubernetesOptions.of(URI.create(args[0]), ApiServer.NAMESPACE).caFile(Path.of(args[1]));
        try (LeaseProvider leases = KubernetesBackend.connect(options)) {
            boolean held = leases.lease(args[2]).acquire().toCompletableFuture().get(60, TimeUnit.SECONDS);
            System.out.println(held ? "held" : "not held");
            System.exit(0);
        }
    }

    private GatewayProcess claim(String hosts, String server) throws Exception {
        Path names = Files.writeString(directory.resolve("hosts"), hosts);
        return GatewayLauncher.of(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:TieredStopAtLevel=1",
                        "-Djdk.net.hosts.file=" + names,
                        "-cp",
                        System.getProperty("java.class.path"),
                        KubernetesNamesTest.class.getName(),
                        server,
                        KubernetesOptionsTest.tls("rsa.crt").toString(),
                        "job"))
                .launch();
    }

    @Test
    void theNextAddressIsTriedAndTheNameIsVerified() throws Exception {
        try (ApiServer server = ApiServer.start(KubernetesOptionsTest.serverTls(), LIVE);
                GatewayProcess claim =
                        claim(DEAD + " localhost\n" + LIVE + " localhost\n", "https://localhost:" + server.port())) {
            assertThat(claim.exitStatus()).as(claim.err()).isZero();
            assertThat(claim.out()).isEqualTo("held\n");
        }
    }

    @Test
    void anotherNameIsNotVerifiedAtTheNextAddress() throws Exception {
        try (ApiServer server = ApiServer.start(KubernetesOptionsTest.serverTls(), LIVE);
                GatewayProcess claim = claim(
                        DEAD + " api.example\n" + LIVE + " api.example\n", "https://api.example:" + server.port())) {
            assertThat(claim.exitStatus()).isNotZero();
            assertThat(claim.err()).contains("certificate");
            assertThat(server.requests()).isEmpty();
        }
    }
}
