package io.flockgate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.TlsClients;
import io.flockgate.testsupport.FaultyLink;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A watch that runs while the certificate of its gateway is replaced, and its authority. */
@Tag("process")
@Execution(ExecutionMode.CONCURRENT)
class RotatedAuthorityTest {
    private final CommandRun command = new CommandRun();

    @TempDir
    Path directory;

    /** Gives the gateway this certificate from now on, and the command its authority. */
    private void certify(String certificate, String key) throws Exception {
        put(certificate, "tls.crt");
        put(key, "tls.key");
        put(certificate, "ca.crt");
    }

    private void put(String file, String name) throws Exception {
        Files.copy(Path.of(TlsClients.file(file)), directory.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }

    private static boolean serves(String certificate, int port) {
        try (LineClient client = TlsClients.trusting(certificate).connect(port)) {
            return client.ask("ping", "_", "_").equals("ok");
        } catch (IOException | GeneralSecurityException untrusted) {
            return false;
        }
    }

    @Test
    void aNewConnectionOfAWatchReadsTheFileOfAuthoritiesAgain() throws Exception {
        certify("rsa.crt", "rsa-pkcs8.key");
        String[] tls = {"--tls-cert=" + directory.resolve("tls.crt"), "--tls-key=" + directory.resolve("tls.key")};
        String authority = " --ca-file=" + directory.resolve("ca.crt");
        try (TestGateway gateway = TestGateway.startWithHttp(tls);
                FaultyLink link = FaultyLink.to(gateway.httpPort())) {
            CompletableFuture<Integer> status =
                    command.later(Map.of(), "ls --watch --server=https://localhost:" + link.port() + authority);
            Polling.until("the first list", () -> command.output().contains("HOLDER\n"));
            certify("ec.crt", "ec-pkcs8.key");
            Polling.until("the new certificate", () -> serves("ec.crt", gateway.port()));

            link.cut();
            try (LineClient client = TlsClients.trusting("ec.crt").connect(gateway.port())) {
                client.lock("job");
                Polling.until(
                        "the next list",
                        () -> status.isDone() || command.output().contains("job "));
            }

            assertThat(status).as(command.errorOutput()).isNotDone();
        }
    }
}
