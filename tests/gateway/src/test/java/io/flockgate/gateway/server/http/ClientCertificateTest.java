package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.gateway.StartException;
import io.flockgate.gateway.TestGateway;
import io.flockgate.gateway.server.TlsClients;
import io.flockgate.gateway.server.TokensFixture;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients of both ports that are identified by a certificate instead of a token. */
@Execution(ExecutionMode.CONCURRENT)
class ClientCertificateTest {
    private static final String DENIED = "error_auth";
    private static final String CERTIFIED = """
            {"tokens":[
            {"name":"ci","certificate":"ci.example","allow":["lock:ci/*","read:ci/*"]},
            {"name":"jane","certificate":"Jane Doe, Ops","allow":["lock:jane/*"]},
            """;

    @TempDir
    Path directory;

    private static TlsClients showing(String name) throws Exception {
        return TlsClients.showing(name + ".crt", name + ".key", "rsa.crt");
    }

    private static TestGateway start(String... more) throws Exception {
        return startWith(TlsClients.file("client-ca.crt"), more);
    }

    private static TestGateway startWith(String authorities, String... more) throws Exception {
        List<String> flags = new ArrayList<>(
                List.of(TlsClients.flags("rsa.crt", "rsa-pkcs8.key", "--tls-client-ca=" + authorities)));
        flags.addAll(List.of(more));
        return TestGateway.startWithHttp(flags.toArray(String[]::new));
    }

    /** The tokens of two certificates, and one with a secret. */
    private String tokens() throws IOException {
        return "--tokens-file=" + Files.writeString(tokensFile(), CERTIFIED + withSecrets());
    }

    private Path tokensFile() {
        return directory.resolve("tokens.json");
    }

    /** The rest of a file, with one token that has a secret. */
    private static String withSecrets() {
        return TokensFixture.file(Map.of("ops", List.of("lock:ops/*"))).replace("{\"tokens\":[", "");
    }

    private static RawHttp http(TlsClients clients, TestGateway gateway) throws IOException {
        return new RawHttp(clients.connect(gateway.httpPort()).socket());
    }

    private static String lock(LineClient client, String key) throws IOException {
        return client.ask("l", key, "0").replaceFirst(" .*", "");
    }

    @ParameterizedTest
    @CsvSource({"client-dns, ci/a, TLSv1.2", "client-dns, ci/a, TLSv1.3", "client-cn, jane/a, TLSv1.3"})
    void aConnectionHasTheRightsOfItsCertificateWithoutAuth(String certificate, String key, String version)
            throws Exception {
        TlsClients clients = showing(certificate);
        try (TestGateway gateway = start(tokens());
                LineClient client = clients.connect(gateway.port(), null, version)) {
            assertThat(lock(client, key)).isEqualTo("ok");
            assertThat(lock(client, "ops/a")).isEqualTo(DENIED);
            assertThat(client.ping()).isEqualTo("ok");
            assertThat(client.ask("auth", "_", TokensFixture.secretOf("ops"))).isEqualTo("error");
            // A resumed TLS session keeps the certificate.
            try (LineClient again = clients.connect(gateway.port(), null, version)) {
                assertThat(lock(again, key + "2")).isEqualTo("ok");
            }
        }
    }

    @Test
    void aTokenInTheFirstFrameWinsOverTheCertificate() throws Exception {
        TlsClients clients = showing("client-dns");
        TlsClients strangers = TlsClients.trusting("rsa.crt");
        try (TestGateway gateway = start(tokens());
                LineClient client = clients.connect(gateway.port());
                LineClient wrong = clients.connect(gateway.port());
                LineClient secret = strangers.connect(gateway.port());
                LineClient stranger = strangers.connect(gateway.port());
                RawHttp http = http(strangers, gateway)) {
            assertThat(client.ask("auth", "_", TokensFixture.secretOf("ops"))).isEqualTo("ok");
            assertThat(lock(client, "ops/a")).isEqualTo("ok");
            assertThat(lock(client, "ci/a")).isEqualTo(DENIED);
            assertThat(wrong.ask("auth", "_", "wrong")).isEqualTo(DENIED);
            assertThat(wrong.rest()).isEmpty();
            // With tokens, no certificate is needed.
            assertThat(secret.ask("auth", "_", TokensFixture.secretOf("ops"))).isEqualTo("ok");
            assertThat(stranger.ping()).isEqualTo(DENIED);
            assertThat(http.ask("POST", "/v1/sessions", "", "").status()).isEqualTo(401);
        }
    }

    @Test
    void aCertificateWithoutAnEntryCountsAsNone() throws Exception {
        TlsClients clients = showing("client-cn");
        try (TestGateway gateway = start("--auth-token=s3cret");
                LineClient client = clients.connect(gateway.port());
                LineClient other = clients.connect(gateway.port());
                RawHttp http = http(clients, gateway)) {
            assertThat(client.ping()).isEqualTo(DENIED);
            assertThat(other.ask("auth", "_", "s3cret")).isEqualTo("ok");
            assertThat(http.get("/v1/keys").status()).isEqualTo(401);
        }
    }

    @Test
    void aRequestWithoutAuthorizationHasTheRightsOfTheCertificate() throws Exception {
        TlsClients clients = showing("client-dns");
        try (TestGateway gateway = start(tokens());
                LineClient holder = clients.connect(gateway.port());
                RawHttp http = http(clients, gateway);
                RawHttp jane = http(showing("client-cn"), gateway)) {
            assertThat(lock(holder, "ci/a")).isEqualTo("ok");
            assertThat(http.get("/v1/keys/ci%2Fa").body()).contains("\"token_name\":\"ci\"");
            assertThat(http.get("/metrics").status()).isEqualTo(403);
            String session = SessionClient.newSession(http);
            assertThat(http.ask("POST", "/v1/locks/ci%2Fb", SessionClient.header(session), "{}")
                            .status())
                    .isEqualTo(200);
            assertThat(jane.ask("POST", "/v1/sessions/" + session + "/ping", "", "")
                            .body())
                    .contains("another token");
            assertThat(jane.get("/v1/keys").status()).isEqualTo(403);
            // The header wins, even if it is wrong.
            assertThat(http.ask("GET", "/v1/keys", TokensFixture.bearer("ops"), "")
                            .status())
                    .isEqualTo(403);
            assertThat(http.ask("GET", "/v1/keys", "Authorization: Bearer wrong\r\n", "")
                            .status())
                    .isEqualTo(401);
            assertThat(http.ask("GET", "/v1/keys", "Authorization: \r\n", "").status())
                    .isEqualTo(401);
            assertThat(http.get("/v1/keys").status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aCertificateThatDoesNotVerifyIsRefused(String version) throws Exception {
        try (TestGateway optional = start(tokens());
                TestGateway required = start()) {
            for (TestGateway gateway : List.of(optional, required)) {
                for (int port : List.of(gateway.port(), gateway.httpPort())) {
                    expectRefusal(showing("client-other-ca"), port, version);
                    expectRefusal(showing("client-server-only"), port, version);
                    expectRefusal(TlsClients.showing("ec.crt", "ec-pkcs8.key", "rsa.crt"), port, version);
                }
            }
        }
    }

    /**
     * The JDK would trust an authority that has expired, because an operator has named it, and
     * would keep what a client adds to its chain.
     */
    @ParameterizedTest
    @CsvSource({
        "client-path-root.crt, client-path, true",
        "client-path-root.crt, client-path-whole, true",
        "client-path-root.crt, client-path-junk, false",
        "client-path-root.crt, client-path-forged, false",
        "client-ended-root.crt, client-ended, false",
    })
    void aChainEndsAtAnAuthorityThatHasNotExpired(String root, String certificate, boolean accepted) throws Exception {
        try (TestGateway gateway = startWith(TlsClients.file(root))) {
            for (int port : List.of(gateway.port(), gateway.httpPort())) {
                for (String version : List.of("TLSv1.2", "TLSv1.3")) {
                    assertThat(answers(showing(certificate), port, version)).isEqualTo(accepted);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void withoutTokensEveryClientNeedsACertificate(String version) throws Exception {
        TlsClients clients = showing("client-dns");
        try (TestGateway gateway = start()) {
            expectRefusal(TlsClients.trusting("rsa.crt"), gateway.port(), version);
            expectRefusal(TlsClients.trusting("rsa.crt"), gateway.httpPort(), version);
            try (LineClient client = clients.connect(gateway.port(), null, version);
                    RawHttp http = new RawHttp(
                            clients.connect(gateway.httpPort(), null, version).socket())) {
                assertThat(lock(client, "any")).isEqualTo("ok");
                assertThat(http.get("/v1/keys/any").body()).contains("\"token_name\":\"ci.example\"");
                assertThat(client.ask("auth", "_", "x")).isEqualTo("error");
            }
        }
    }

    private static void expectRefusal(TlsClients clients, int port, String version) {
        assertThat(answers(clients, port, version)).as("port %d", port).isFalse();
    }

    /**
     * Whether the port answers. In TLS 1.3 a client is notified of its refusal only after its own
     * end of the handshake.
     */
    private static boolean answers(TlsClients clients, int port, @Nullable String version) {
        try (LineClient client = clients.connect(port, null, version)) {
            client.send(RawHttp.GET);
            return client.input().read() >= 0;
        } catch (IOException refused) {
            assertThat(refused).isNotInstanceOf(SocketTimeoutException.class);
            return false;
        }
    }

    @Test
    void authoritiesThatChangeAreReadAgainOnBothPorts() throws Exception {
        Path used = Files.copy(Path.of(TlsClients.file("client-ca.crt")), directory.resolve("ca.crt"));
        TlsClients clients = showing("client-dns");
        TlsClients others = showing("client-other-ca");
        try (TestGateway gateway = startWith(used.toString());
                LineClient before = clients.connect(gateway.port())) {
            assertThat(before.ping()).isEqualTo("ok");
            Path unused = Files.copy(
                    Path.of(TlsClients.file("client-other-ca-root.crt")), used, StandardCopyOption.REPLACE_EXISTING);
            for (int port : List.of(gateway.port(), gateway.httpPort())) {
                Polling.until("the other authority", () -> answers(others, port, null));
                assertThat(answers(showing("client-dns"), port, null)).isFalse();
                assertThat(answers(clients, port, null)).isFalse();
            }
            assertThat(before.ping()).isEqualTo("ok");
        }
    }

    @Test
    void anEntryTakenOutOfTheFileEndsItsConnectionWithTheNextRequest() throws Exception {
        TlsClients clients = showing("client-dns");
        try (TestGateway gateway = start(tokens());
                RawHttp http = http(clients, gateway);
                LineClient client = clients.connect(gateway.port())) {
            assertThat(client.ping()).isEqualTo("ok");
            Path next = Files.writeString(directory.resolve("next.json"), "{\"tokens\":[" + withSecrets());
            Path unused = Files.move(next, tokensFile(), StandardCopyOption.REPLACE_EXISTING);
            assertThat(client.pingUntilRefused()).isEqualTo(DENIED);
            assertThat(client.rest()).isEmpty();
            assertThat(http.get("/v1/keys").status()).isEqualTo(401);
        }
    }

    @Test
    void authoritiesThatCannotBeUsedRefuseTheStart() throws Exception {
        expectRefusedStart(Files.writeString(directory.resolve("empty"), ""), "contains no certificate");
        expectRefusedStart(Files.writeString(directory.resolve("text"), "no PEM in here\n"), "--tls-client-ca");
        expectRefusedStart(Path.of(TlsClients.file("client-dns.key")), "--tls-client-ca");
        expectRefusedStart(directory.resolve("missing"), "no such file");
        expectRefusedStart(directory, "directory");
        expectRefusedStart(
                Files.writeString(directory.resolve("long"), " ".repeat((1 << 20) + 1)), "longer than 1 MiB");
    }

    private static void expectRefusedStart(Path file, String words) {
        assertThatThrownBy(() -> startWith(file.toString()).close())
                .isInstanceOf(StartException.class)
                .hasMessageContaining("--tls-client-ca")
                .hasMessageContaining(words);
    }
}
