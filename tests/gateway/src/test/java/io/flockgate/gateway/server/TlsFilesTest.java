package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.gateway.StartException;
import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.util.List;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The files of certificate and key: forms, faults, and changes while the gateway runs. */
@Execution(ExecutionMode.CONCURRENT)
class TlsFilesTest {
    @ParameterizedTest
    @CsvSource({
        "rsa.crt,   rsa-pkcs8.key,                rsa.crt",
        "rsa.crt,   rsa-pkcs1.key,                rsa.crt",
        "ec.crt,    ec-pkcs8.key,                 ec.crt",
        "ec.crt,    ec-sec1.key,                  ec.crt",
        "ec.crt,    ec-sec1-with-parameters.key,  ec.crt",
        "ed25519.crt, ed25519.key,                ed25519.crt",
        "chain.crt, chain.key,                    chain-root.crt"
    })
    void locksAndReleasesWithEveryFormOfKey(String certificate, String key, String trusted) throws Exception {
        try (TestGateway gateway = TestGateway.start(TlsClients.flags(certificate, key));
                LineClient client = TlsClients.trusting(trusted).connect(gateway.port())) {
            client.release(client.lock("job"));
        }
    }

    @Test
    void filesThatCannotServeRefuseTheStart(@TempDir Path directory) throws Exception {
        String garbage = Files.writeString(directory.resolve("garbage"), "no PEM in here")
                .toString();
        String missing = directory.resolve("missing").toString();
        String certificate = TlsClients.file("rsa.crt");
        String key = TlsClients.file("rsa-pkcs8.key");
        expectRefusal(missing, key, missing);
        expectRefusal(certificate, missing, missing);
        expectRefusal(garbage, key, "--tls-cert");
        expectRefusal(certificate, garbage, "--tls-key");
        expectRefusal(certificate, directory.toString(), directory.toString());
        expectRefusal(certificate, TlsClients.file("ec-pkcs8.key"), "--tls-key");
        expectRefusal(TlsClients.file("ec.crt"), TlsClients.file("chain.key"), "--tls-key");
        expectRefusal(key, certificate, "--tls-cert");
        for (String encrypted : List.of("ec-encrypted.key", "ec-sec1-encrypted.key")) {
            expectRefusal(
                    TlsClients.file("ec.crt"),
                    TlsClients.file(encrypted),
                    encrypted + " is encrypted. Decrypt it: openssl pkey");
        }
    }

    /** As Kubernetes replaces a secret: the names stay, and a link in their path is replaced. */
    @Test
    void aSecretWhoseLinkIsReplacedIsReadAgain(@TempDir Path directory) throws Exception {
        Path link = directory.resolve("..data");
        Files.createSymbolicLink(link, version(directory, "1", "rsa.crt", "rsa-pkcs8.key"));
        Path certificate = Files.createSymbolicLink(directory.resolve("tls.crt"), Path.of("..data/tls.crt"));
        Path key = Files.createSymbolicLink(directory.resolve("tls.key"), Path.of("..data/tls.key"));
        try (TestGateway gateway = TestGateway.start("--tls-cert=" + certificate, "--tls-key=" + key)) {
            assertThat(accepts(gateway.port(), "rsa.crt")).isTrue();
            Path next = Files.createSymbolicLink(
                    directory.resolve("..next"), version(directory, "2", "ec.crt", "ec-pkcs8.key"));
            Path unused = Files.move(next, link, StandardCopyOption.ATOMIC_MOVE);
            Polling.until("the new certificate", () -> accepts(gateway.port(), "ec.crt"));
        }
    }

    private static Path version(Path directory, String name, String certificate, String key) throws Exception {
        Path version = Files.createDirectory(directory.resolve(name));
        Path unusedCertificate = copy(certificate, version.resolve("tls.crt"));
        Path unusedKey = copy(key, version.resolve("tls.key"));
        return version;
    }

    @Test
    void aCertificateThatChangesIsReadAgainOnBothPorts(@TempDir Path directory) throws Exception {
        Path certificate = copy("rsa.crt", directory.resolve("used.crt"));
        Path key = copy("rsa-pkcs8.key", directory.resolve("used.key"));
        try (TestGateway gateway = TestGateway.startWithHttp("--tls-cert=" + certificate, "--tls-key=" + key)) {
            List<Integer> ports = List.of(gateway.port(), gateway.httpPort());
            for (int port : ports) {
                assertThat(accepts(port, "rsa.crt")).isTrue();
            }

            Path unusedCertificate = copy("ec.crt", certificate);
            // Now the two do not fit. The last pair stays in use.
            assertThat(accepts(gateway.port(), "rsa.crt")).isTrue();
            Path unusedKey = copy("ec-pkcs8.key", key);
            for (int port : ports) {
                Polling.until("the new certificate", () -> accepts(port, "ec.crt"));
                assertThat(accepts(port, "rsa.crt")).isFalse();
            }
        }
    }

    private static Path copy(String file, Path to) throws Exception {
        return Files.copy(Path.of(TlsClients.file(file)), to, StandardCopyOption.REPLACE_EXISTING);
    }

    private static boolean accepts(int port, String trusted) {
        try (SSLSocket socket = TlsClients.trusting(trusted).handshake(port, "TLSv1.3")) {
            return socket.isConnected();
        } catch (IOException | GeneralSecurityException untrusted) {
            return false;
        }
    }

    private static void expectRefusal(String certificate, String key, String named) {
        assertThatThrownBy(() -> TestGateway.start("--tls-cert=" + certificate, "--tls-key=" + key)
                        .close())
                .isInstanceOf(StartException.class)
                .hasMessageContaining(named);
    }
}
