package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.gateway.StartException;
import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS on both ports, and the files of certificate and key: forms, faults, and changes. */
@Execution(ExecutionMode.CONCURRENT)
class TlsTest {
    private static final int ALERT = 0x15;
    private static final int HANDSHAKE = 0x16;

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void speaksBothCurrentVersionsWithAndWithoutAServerName(String protocol) throws Exception {
        TlsClients clients = TlsClients.trusting("rsa.crt");
        try (TestGateway gateway = rsa();
                LineClient named = clients.connect(gateway.port(), "localhost", protocol);
                LineClient nameless = clients.connect(gateway.port(), null, protocol)) {
            assertThat(named.ping()).isEqualTo("ok");
            assertThat(nameless.ping()).isEqualTo("ok");
        }
    }

    @Test
    void refusesVersionsBeforeOneDotTwo() throws Exception {
        try (TestGateway gateway = rsa()) {
            assertThat(firstByteAfter(gateway, TlsClients.hello("0303"))).isEqualTo(HANDSHAKE);
            assertThat(firstByteAfter(gateway, TlsClients.hello("0302"))).isIn(ALERT, -1);
            assertThat(firstByteAfter(gateway, TlsClients.hello("0301"))).isIn(ALERT, -1);
        }
    }

    @Test
    @DisplayName("★7 TLS_PlainClientRejected: closed without a byte")
    void aPlainClientIsClosedWithoutAByte() throws Exception {
        try (TestGateway gateway = rsa();
                LineClient plain = gateway.client()) {
            plain.send(LineClient.frame("ping", "_", "_").repeat(3));
            assertThat(plain.rest()).isEmpty();
            try (LineClient client = TlsClients.trusting("rsa.crt").connect(gateway.port())) {
                assertThat(client.ask("stats", "_", "_")).contains("\"connections\":1,");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "160301"})
    void aSlowHandshakeHoldsUpNobodyAndIsCutByTheReadTimeout(String begun) throws Exception {
        try (TestGateway gateway = rsa("--read-timeout=1");
                LineClient slow = gateway.client()) {
            long opened = System.nanoTime();
            slow.send(new String(HexFormat.of().parseHex(begun), StandardCharsets.ISO_8859_1));
            try (LineClient client = connectWhenFree(TlsClients.trusting("rsa.crt"), gateway.port())) {
                // At most a TLS alert, which a client in the middle of a handshake can read.
                assertThat(slow.rest()).matches("(?s)|\\x15.*");
                assertThat(System.nanoTime() - opened)
                        .isGreaterThan(Duration.ofMillis(800).toNanos());
                // An established connection is not cut for being idle for the same time.
                assertThat(client.ping()).isEqualTo("ok");
            }
        }
    }

    private static LineClient connectWhenFree(TlsClients clients, int port) throws IOException {
        long giveUp = System.nanoTime() + LineClient.PATIENCE.toNanos();
        while (true) {
            try {
                LineClient client = clients.connect(port);
                assertThat(client.ping()).isEqualTo("ok");
                return client;
            } catch (IOException | AssertionError e) {
                assertThat(giveUp - System.nanoTime()).as(e.toString()).isPositive();
            }
        }
    }

    /**
     * Covers a client that waits for the server to end TLS before it ends the underlying
     * connection.
     */
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void theEndOfTlsFreesALockAndEndsTheConnection(String protocol) throws Exception {
        TlsClients clients = TlsClients.trusting("rsa.crt");
        try (TestGateway gateway = rsa();
                LineClient waiter = clients.connect(gateway.port());
                Socket below = new Socket(InetAddress.getLoopbackAddress(), gateway.port())) {
            LineClient holder = clients.over(below, protocol);
            holder.lock("job");
            waiter.queueUp("job", holder, 1);
            holder.close();
            waiter.granted("job");
            assertThat(below.isClosed()).isFalse();
            assertThat(below.getInputStream().readAllBytes()).hasSizeLessThan(1_000);
        }
    }

    @Test
    void noSuiteWithCbcIsSpoken() throws Exception {
        try (TestGateway gateway = TestGateway.startWithHttp(TlsClients.flags("rsa.crt", "rsa-pkcs8.key"))) {
            for (int port : new int[] {gateway.port(), gateway.httpPort()}) {
                try (SSLSocket socket = (SSLSocket) TlsClients.trusting("rsa.crt")
                        .context()
                        .getSocketFactory()
                        .createSocket(InetAddress.getLoopbackAddress(), port)) {
                    socket.setEnabledProtocols(new String[] {"TLSv1.2"});
                    socket.setEnabledCipherSuites(Arrays.stream(socket.getSupportedCipherSuites())
                            .filter(suite -> suite.contains("_CBC_"))
                            .toArray(String[]::new));
                    assertThatThrownBy(socket::startHandshake).isInstanceOf(SSLHandshakeException.class);
                }
            }
        }
    }

    /** The engine would keep each of them as long as the connection lasts. */
    @Test
    void aClientThatRepeatsItsSignatureSchemesIsDisconnected() throws Exception {
        try (TestGateway gateway = rsa();
                SSLSocket socket = (SSLSocket) TlsClients.trusting("rsa.crt")
                        .context()
                        .getSocketFactory()
                        .createSocket(InetAddress.getLoopbackAddress(), gateway.port())) {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setSignatureSchemes(
                    Collections.nCopies(100, "rsa_pss_rsae_sha256").toArray(String[]::new));
            socket.setSSLParameters(parameters);
            try (LineClient client = LineClient.over(socket)) {
                assertThatThrownBy(client::ping).isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void aClientMayUpdateItsKeysButNotWithoutEnd() throws Exception {
        try (TestGateway gateway = rsa();
                SSLSocket socket = TlsClients.trusting("rsa.crt").handshake(gateway.port(), "TLSv1.3");
                LineClient client = LineClient.over(socket)) {
            for (int i = 0; i < 2; i++) {
                updateKeys(socket, 6);
                for (int pings = 0; pings < 6 * 256; pings++) {
                    assertThat(client.ping()).isEqualTo("ok");
                }
            }
            assertThatThrownBy(() -> updateKeys(socket, 10_000)).isInstanceOf(IOException.class);
        }
    }

    /** In TLS 1.3 the JDK requests a key update instead of another handshake. */
    private static void updateKeys(SSLSocket socket, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            socket.startHandshake();
        }
    }

    @Tag("process")
    @Test
    void theLogNamesThoseWhoDoNotSpeakTlsAndNothingThatTheySend() throws Exception {
        String[] flags = TlsClients.flags("ec.crt", "ec-pkcs8.key", "--debug");
        try (GatewayProcess server = GatewayLauncher.ofJar(flags).withHttp().start()) {
            for (int port : new int[] {server.port(), server.httpPort()}) {
                try (LineClient plain = LineClient.connect(port)) {
                    plain.send("auth\n_\ns3cret-token\n");
                    assertThat(plain.rest()).isEmpty();
                }
            }
            try (LineClient silent = server.client()) {
                silent.send("\u0016");
            }
            assertThatThrownBy(() -> TlsClients.trusting("rsa.crt").connect(server.port()))
                    .isInstanceOf(IOException.class);
            server.awaitLog("level=WARN msg=\"an http client does not speak TLS\"");
            assertThat(server.stop()).as(server::logTail).isZero();
            assertThat(server.err())
                    .contains(" level=INFO msg=\"TLS enabled\"\n", " tls=on ")
                    .containsOnlyOnce(" level=WARN msg=\"a client does not speak TLS\" peer=127.0.0.1:")
                    .doesNotContain("level=ERROR", "s3cret")
                    .doesNotContain(HexFormat.of().formatHex("s3cret".getBytes(StandardCharsets.UTF_8)));
        }
    }

    @Tag("process")
    @Test
    void aClientCannotRenegotiate() throws Exception {
        String[] flags = TlsClients.flags("rsa.crt", "rsa-pkcs8.key");
        try (GatewayProcess server = GatewayLauncher.ofJar(flags).start();
                SSLSocket socket = TlsClients.trusting("rsa.crt").handshake(server.port(), "TLSv1.2")) {
            socket.startHandshake();
            assertThatThrownBy(() -> {
                        socket.getOutputStream().write("ping\n_\n_\n".getBytes(StandardCharsets.US_ASCII));
                        assertThat(socket.getInputStream().read()).isEqualTo(-1);
                        throw new IOException("the connection has ended");
                    })
                    .isInstanceOf(IOException.class);
        }
    }

    private static TestGateway rsa(String... flags) throws Exception {
        return TestGateway.start(TlsClients.flags("rsa.crt", "rsa-pkcs8.key", flags));
    }

    private static int firstByteAfter(TestGateway gateway, byte[] bytes) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port())) {
            socket.setSoTimeout(Math.toIntExact(LineClient.PATIENCE.toMillis()));
            socket.getOutputStream().write(bytes);
            return socket.getInputStream().read();
        }
    }

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
    void aCertificateThatChangesIsReadAgainOnBothPorts(@TempDir Path directory) throws Exception {
        Path first = Files.createDirectory(directory.resolve("1"));
        TlsClients.copy("rsa.crt", first.resolve("tls.crt"));
        TlsClients.copy("rsa-pkcs8.key", first.resolve("tls.key"));
        Path second = Files.createDirectory(directory.resolve("2"));
        TlsClients.copy("ec.crt", second.resolve("tls.crt"));
        TlsClients.copy("ec-pkcs8.key", second.resolve("tls.key"));
        Path link = Files.createSymbolicLink(directory.resolve("..data"), first);
        Path certificate = Files.createSymbolicLink(directory.resolve("tls.crt"), Path.of("..data/tls.crt"));
        Path key = Files.createSymbolicLink(directory.resolve("tls.key"), Path.of("..data/tls.key"));
        try (TestGateway gateway = TestGateway.startWithHttp("--tls-cert=" + certificate, "--tls-key=" + key)) {
            List<Integer> ports = List.of(gateway.port(), gateway.httpPort());
            assertThat(ports).allMatch(port -> TlsClients.accept("rsa.crt", port));

            TlsClients.copy("ec.crt", first.resolve("tls.crt"));
            // Now the two do not fit. The last pair stays in use.
            assertThat(TlsClients.accept("rsa.crt", gateway.port())).isTrue();
            Path next = Files.createSymbolicLink(directory.resolve("..next"), second);
            Path unused = Files.move(next, link, StandardCopyOption.ATOMIC_MOVE);
            for (int port : ports) {
                Polling.until("the new certificate", () -> TlsClients.accept("ec.crt", port));
                assertThat(TlsClients.accept("rsa.crt", port)).isFalse();
            }
        }
    }

    private static void expectRefusal(String certificate, String key, String named) {
        assertThatThrownBy(() -> TestGateway.start("--tls-cert=" + certificate, "--tls-key=" + key)
                        .close())
                .isInstanceOf(StartException.class)
                .hasMessageContaining(named);
    }
}
