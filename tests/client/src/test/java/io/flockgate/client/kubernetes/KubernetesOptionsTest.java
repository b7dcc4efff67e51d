package io.flockgate.client.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseAuthException;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.testsupport.Repository;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The ways to reach an API server, addresses of its scheme, and the names of objects. */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
final class KubernetesOptionsTest {
    private static final ConnectOptions HIDDEN = ConnectOptions.defaults().authToken("hidden");

    @RegisterExtension
    final KubernetesBed bed = new KubernetesBed();

    static Path tls(String name) {
        return Repository.file("tests/gateway/src/test/resources/test-only-tls").resolve(name);
    }

    static SSLContext serverTls() throws Exception {
        String pem = Files.readString(tls("rsa-pkcs8.key")).replaceAll("-----[A-Z ]+-----|\\s", "");
        PrivateKey key = KeyFactory.getInstance("RSA")
                .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(pem)));
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        try (InputStream file = Files.newInputStream(tls("rsa.crt"))) {
            Certificate certificate = CertificateFactory.getInstance("X.509").generateCertificate(file);
            store.setKeyEntry("server", key, new char[0], new Certificate[] {certificate});
        }
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, new char[0]);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context;
    }

    private static Path account(Path directory) throws Exception {
        Files.writeString(directory.resolve("namespace"), ApiServer.NAMESPACE);
        Files.writeString(directory.resolve("token"), "pod-token");
        Files.copy(tls("rsa.crt"), directory.resolve("ca.crt"));
        return directory;
    }

    @Test
    void aPodFindsItsServer(@TempDir Path directory) throws Exception {
        try (ApiServer server = ApiServer.start(serverTls())) {
            server.expectToken("pod-token", () -> {});
            Map<String, String> variables = Map.of(
                    "KUBERNETES_SERVICE_HOST", "localhost", "KUBERNETES_SERVICE_PORT", Integer.toString(server.port()));
            KubernetesOptions options =
                    KubernetesOptions.inCluster(variables, account(directory)).connection(HIDDEN);

            assertThat(KubernetesBed.get(bed.backend(options).acquire(KubernetesBed.claim("job"))))
                    .isInstanceOf(Granted.class);
            assertThat(options.toString()).doesNotContain("pod-token");
        }
    }

    @Test
    void aServerIsSpokenToOnceTheCaFileHasItsAuthority(@TempDir Path directory) throws Exception {
        try (ApiServer server = ApiServer.start(serverTls())) {
            Path ca = Files.copy(tls("ec.crt"), directory.resolve("ca.crt"));
            LeaseBackend backend = bed.backend(
                    KubernetesOptions.of(URI.create("https://localhost:" + server.port()), ApiServer.NAMESPACE)
                            .caFile(ca));
            // At once, although the wait is long.
            assertThatThrownBy(
                            () -> KubernetesBed.get(backend.acquire(KubernetesBed.claim("job", Duration.ofHours(1)))))
                    .hasCauseInstanceOf(LeaseConfigException.class)
                    .hasMessageContaining("not trusted");
            assertThat(server.requests()).isEmpty();

            Files.copy(tls("rsa.crt"), ca, StandardCopyOption.REPLACE_EXISTING);

            assertThat(KubernetesBed.get(backend.acquire(KubernetesBed.claim("job"))))
                    .isInstanceOf(Granted.class);
            backend.close();
        }
    }

    @Test
    void anAddressMayHaveAPath() {
        KubernetesBackend backend = new KubernetesBackend(KubernetesOptions.of(
                URI.create("http://127.0.0.1:" + bed.server().port() + "/k8s/c-1/"), ApiServer.NAMESPACE));

        assertThatThrownBy(() -> KubernetesBed.get(backend.acquire(KubernetesBed.claim("job"))))
                .hasCauseInstanceOf(LeaseConfigException.class)
                .hasMessageContaining("(namespace team) has no such namespace");
        assertThat(bed.server().requests())
                .first()
                .isEqualTo("GET /k8s/c-1/apis/coordination.k8s.io/v1/namespaces/team/leases/job");
        backend.close();
    }

    @Test
    void aProcessOutsideAPodIsToldSo(@TempDir Path directory) {
        assertThatThrownBy(() -> KubernetesOptions.inCluster(Map.of(), directory))
                .isInstanceOf(LeaseConfigException.class)
                .hasMessageContaining("not in a pod");
        assertThatThrownBy(() -> KubernetesOptions.inCluster(Map.of("KUBERNETES_SERVICE_HOST", "10.0.0.1"), directory))
                .isInstanceOf(LeaseConfigException.class)
                .hasMessageContaining("not mounted");
    }

    @Test
    void anAddressOfIpv6GetsBrackets(@TempDir Path directory) throws Exception {
        Map<String, String> variables = Map.of("KUBERNETES_SERVICE_HOST", "fd00::1");

        assertThat(KubernetesOptions.inCluster(variables, account(directory)).toString())
                .endsWith("https://[fd00::1]:443");
    }

    private static LeaseBackend backend(String... servers) {
        return Flockgate.backend(HIDDEN, Arrays.stream(servers).map(URI::create).toList());
    }

    @ParameterizedTest
    @CsvSource({
        "kubernetes://api.example:6443/jobs, https://api.example:6443",
        "kubernetes://api.example/k8s/clusters/c-1/jobs, https://api.example/k8s/clusters/c-1"
    })
    void anAddressOfTheSchemeHasTheNamespaceAtTheEndOfItsPath(String address, String server) {
        try (LeaseBackend backend = backend(address)) {
            assertThat(backend.servers()).isEqualTo("the API server at " + server);
        }
    }

    /** Tests run outside a pod. */
    @ParameterizedTest
    @CsvSource({"kubernetes:///", "kubernetes:///jobs"})
    void withoutAHostTheProcessIsInAPod(String server) {
        assertThatThrownBy(() -> backend(server))
                .isInstanceOf(LeaseConfigException.class)
                .hasMessageContaining("not in a pod");
    }

    @ParameterizedTest
    @CsvSource({
        "kubernetes://api.example, has the form",
        "kubernetes://api.example/, has the form",
        "kubernetes://api.example/a/, has the form",
        "kubernetes://api.example/jobs?x=1, has the form",
        "kubernetes://me:hidden@api.example/jobs, has no user",
        "kubernetes:api.example, has the form"
    })
    void anotherFormOfTheSchemeIsRefusedAndShowsNoSecret(String server, String why) {
        assertThatThrownBy(() -> backend(server))
                .isInstanceOf(LeaseConfigException.class)
                .hasMessageContaining(why)
                .hasMessageNotContaining("hidden");
    }

    @Test
    void oneAddressOfTheSchemeIsEnough() {
        assertThatThrownBy(() -> backend("kubernetes://a/jobs", "kubernetes://b/jobs"))
                .isInstanceOf(LeaseConfigException.class)
                .hasMessageContaining("one address");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ftp://host", "https:///", "host:443", "https://user:hidden@host", "https://host?x=1"})
    void anotherKindOfAddressIsRefused(String address) {
        assertThatThrownBy(() -> KubernetesOptions.of(URI.create(address), "team"))
                .isInstanceOf(LeaseConfigException.class)
                .hasMessageNotContaining("hidden");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Team", "a/b", "-a", "a."})
    void aNamespaceOfAnotherFormIsRefused(String namespace) {
        assertThatThrownBy(() -> bed.server().options().namespace(namespace)).isInstanceOf(LeaseConfigException.class);
    }

    @Test
    void aTokenOrACaThatCannotBeIsRefused(@TempDir Path directory) throws Exception {
        Path empty = Files.writeString(directory.resolve("ca"), "");
        Path broken = Files.writeString(directory.resolve("token"), "hidden-1\nhidden-2");

        assertThatThrownBy(() -> bed.server().options().tokenFile(broken).token())
                .isInstanceOf(LeaseAuthException.class)
                .hasMessageNotContaining("hidden");
        assertThatThrownBy(() -> bed.server().options().tokenFile(empty).token())
                .isInstanceOf(LeaseAuthException.class);

        ConnectOptions odd = ConnectOptions.defaults().authToken("hidd\u00e9n");
        assertThatThrownBy(() -> bed.server().options().connection(odd))
                .isInstanceOf(LeaseConfigException.class)
                .hasMessageNotContaining("hid");
        assertThatThrownBy(() -> bed.server().options().caFile(empty))
                .isInstanceOf(LeaseConfigException.class)
                .hasMessageContaining("contains no certificate");
        assertThatThrownBy(() -> bed.server().options().caFile(directory)).isInstanceOf(LeaseConfigException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"http://api.example:8001", "http://10.0.0.1", "http://127.0.0.1.example", "http://[fd00::1]"})
    void aTokenIsNotSentInTheClearToAnotherHost(String address) {
        KubernetesOptions options = KubernetesOptions.of(URI.create(address), "team");

        assertThatThrownBy(() -> options.connection(HIDDEN))
                .isInstanceOf(LeaseConfigException.class)
                .hasMessageContaining("http://")
                .hasMessageNotContaining("hidden");
        assertThatThrownBy(() -> options.tokenFile(Path.of("token"))).isInstanceOf(LeaseConfigException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://localhost:8001", "http://127.0.0.1", "http://[::1]:8001", "https://api.example"})
    void aTokenIsSentToThisHostAndOverTls(String address) {
        assertThat(KubernetesOptions.of(URI.create(address), "team")
                        .connection(HIDDEN)
                        .token())
                .isEqualTo("hidden");
    }

    @Test
    void aNameThatKubernetesTakesStays() {
        assertThat(ObjectNames.of("a")).isEqualTo("a");
        assertThat(ObjectNames.of("team.job-1")).isEqualTo("team.job-1");
    }

    @Test
    void anyOtherNameGetsAHashOfItsOwn() {
        assertThat(ObjectNames.of("Team/Job")).matches("team-job-x[0-9a-f]{32}");
        assertThat(ObjectNames.of("team/job")).isNotEqualTo(ObjectNames.of("Team/Job"));
        assertThat(ObjectNames.of("***")).matches("lease-x[0-9a-f]{32}");
        assertThat(ObjectNames.of("A".repeat(200))).hasSizeLessThan(253);
        String hashed = ObjectNames.of("Team/Job");
        assertThat(ObjectNames.of(hashed)).isNotEqualTo(hashed);
    }
}
