package io.flockgate.client.onconsul;

import static io.flockgate.client.onconsul.SharedConsul.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.Lease;
import io.flockgate.client.LeaseAuthException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.consul.ConsulBackend;
import io.flockgate.client.consul.ConsulOptions;
import io.flockgate.consul.testbed.AgentOptions;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.consul.testbed.ConsulTls;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Leases over agents with HTTPS, and with ACLs. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class ConsulSecurityTest {
    private static final Pattern SECRET = Pattern.compile("SecretID: *(\\S+)");

    /** The rights that a service needs, according to the guide. */
    private static final String RIGHTS = """
            key_prefix "flockgate/" { policy = "write" }
            session_prefix "" { policy = "write" }
            """;

    private static Lease lease(LeaseProvider provider) {
        return provider.lease(
                LeaseOptions.named("job").ttl(Duration.ofMinutes(1)).build());
    }

    @Test
    void anAgentWithHttpsNeedsACertificateThatIsTrusted(@TempDir Path directory) throws Exception {
        ConsulTls right = ConsulTls.create(Files.createDirectory(directory.resolve("right")));
        ConsulTls wrong = ConsulTls.create(Files.createDirectory(directory.resolve("wrong")));
        try (ConsulAgent agent = ConsulAgent.start(right.options(false))) {
            warm(agent, trust(right.authority()));
            ConsulOptions options = ConsulOptions.agents(
                    List.of(URI.create("consuls://" + agent.httpsAddress().getAuthority())));
            try (LeaseProvider provider = ConsulBackend.connect(options.sslContext(trust(right.authority())))) {
                assertThat(get(lease(provider).acquire())).isTrue();
            }
            try (LeaseProvider provider = ConsulBackend.connect(options.sslContext(trust(wrong.authority())))) {
                assertThatThrownBy(() -> get(lease(provider).acquire()))
                        .cause()
                        .isInstanceOfSatisfying(
                                LeaseUnavailableException.class,
                                untrusted -> assertThat(untrusted.mayHold()).isFalse());
            }
        }
    }

    /**
     * Performs the first handshake of the JVM and the agent, which may take longer than the client
     * waits for a connection.
     */
    private static void warm(ConsulAgent agent, SSLContext trust) throws IOException {
        URI address = agent.httpsAddress();
        try (SSLSocket socket =
                (SSLSocket) trust.getSocketFactory().createSocket(address.getHost(), address.getPort())) {
            socket.startHandshake();
        }
    }

    private static SSLContext trust(Path authority) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream pem = Files.newInputStream(authority)) {
            store.setCertificateEntry(
                    "authority", CertificateFactory.getInstance("X.509").generateCertificate(pem));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    @Test
    void theRightsOfTheGuideAreEnoughAndNeeded() throws Exception {
        String master = UUID.randomUUID().toString();
        String config = """
                {"acl": {"enabled": true, "default_policy": "deny", "tokens": {"master": "%s"}}}
                """.formatted(master);
        try (ConsulAgent agent =
                ConsulAgent.start(AgentOptions.plain().withConfig(config).withToken(master))) {
            ConsulOptions options = ConsulOptions.agents(List.of(SharedConsul.uri(agent.address())));
            String token = token(agent, "service", RIGHTS);
            String reader = token(agent, "reader", RIGHTS.replace("write", "read"));
            try (LeaseProvider provider = ConsulBackend.connect(options.aclToken(() -> token))) {
                Lease lease = lease(provider);
                assertThat(get(lease.acquire())).isTrue();
                get(lease.release());
            }
            for (String weak : List.of("", reader, UUID.randomUUID().toString())) {
                try (LeaseProvider provider = ConsulBackend.connect(options.aclToken(() -> weak))) {
                    assertThatThrownBy(() -> get(lease(provider).acquire()))
                            .hasCauseInstanceOf(LeaseAuthException.class);
                }
            }
        }
    }

    private static String token(ConsulAgent agent, String policy, String rules) {
        cli(agent, "acl", "policy", "create", "-name", policy, "-rules", rules);
        Matcher secret = SECRET.matcher(cli(agent, "acl", "token", "create", "-policy-name", policy));
        assertThat(secret.find()).isTrue();
        return secret.group(1);
    }

    private static String cli(ConsulAgent agent, String... command) {
        var result = agent.cli(command);
        assertThat(result.exitCode()).as(result.output()).isZero();
        return result.output();
    }
}
