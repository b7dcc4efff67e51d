package io.flockgate.client.kubernetes;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.support.Trust;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The options of a {@link KubernetesBackend}. Immutable: each method returns a changed copy, and
 * throws {@link LeaseConfigException} if its argument is not usable. Safe from any thread.
 *
 * {@snippet :
 * KubernetesOptions options = KubernetesOptions.inCluster().namespace("billing").clientName("billing-7");
 * }
 */
public final class KubernetesOptions {
    private static final Path SERVICE_ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

    private final URI server;
    private final String namespace;
    private final @Nullable String clientName;
    private final Bearer bearer;
    private final @Nullable SSLContext tls;
    private final @Nullable Executor executor;
    private final LeaseEnvironment environment;

    private KubernetesOptions(
            URI server,
            String namespace,
            @Nullable String clientName,
            Bearer bearer,
            @Nullable SSLContext tls,
            @Nullable Executor executor,
            LeaseEnvironment environment) {
        this.server = server;
        this.namespace = namespace;
        this.clientName = clientName;
        this.bearer = bearer;
        this.tls = tls;
        this.executor = executor;
        this.environment = environment;
    }

    /**
     * An API server at an address.
     *
     * @param server {@code https://host[:port][/path]}; {@code http://} for {@code kubectl proxy}
     *     on this host. A token is sent over {@code http://} only to this host
     * @param namespace the namespace of the Lease objects
     * @throws LeaseConfigException if the address or the namespace has any other form
     */
    public static KubernetesOptions of(URI server, String namespace) {
        boolean http = "https".equals(server.getScheme()) || "http".equals(server.getScheme());
        require(server.getRawUserInfo() == null, "the API server's address has no user: give the token by a method");
        require(
                http && server.getHost() != null && server.getRawQuery() == null && server.getRawFragment() == null,
                "the API server's address has the form https://host[:port][/path]");
        require(
                namespace.matches("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"),
                "the namespace has 1 to 63 small letters, digits and '-'");
        return new KubernetesOptions(server, namespace, null, Bearer.none(), null, null, LeaseEnvironment.system());
    }

    /**
     * The API server of the cluster in which this process runs as a pod, with the pod's namespace,
     * token and CA. The token is read again for each request, and the CA for each connection.
     *
     * @throws LeaseConfigException outside a pod, or if the pod has no service account
     */
    public static KubernetesOptions inCluster() {
        return inCluster(System.getenv(), SERVICE_ACCOUNT);
    }

    static KubernetesOptions inCluster(Map<String, String> variables, Path account) {
        String host = variables.getOrDefault("KUBERNETES_SERVICE_HOST", "");
        String port = variables.getOrDefault("KUBERNETES_SERVICE_PORT", "443");
        require(!host.isEmpty(), "KUBERNETES_SERVICE_HOST is not set: this process is not in a pod");
        String bracketed = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        URI server = URI.create("https://" + bracketed + ":" + port);
        return of(server, text(account.resolve("namespace")))
                .tokenFile(account.resolve("token"))
                .caFile(account.resolve("ca.crt"));
    }

    private static String text(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException unreadable) {
            throw new LeaseConfigException("the service account is not mounted: " + file + " cannot be read");
        }
    }

    /** The same with another namespace. */
    public KubernetesOptions namespace(String other) {
        KubernetesOptions checked = of(server, other);
        return new KubernetesOptions(server, checked.namespace, clientName, bearer, tls, executor, environment);
    }

    /**
     * Names the client for operators: 1 to 128 printable ASCII characters without blanks. The
     * {@code holderIdentity} of its leases begins with the name. Default: host name and process id.
     */
    public KubernetesOptions clientName(String name) {
        String valid = ConnectOptions.defaults().clientName(name).clientName();
        return new KubernetesOptions(server, namespace, valid, bearer, tls, executor, environment);
    }

    /**
     * A file with the bearer token. It is read again for each request, so that it may be replaced
     * at any time.
     */
    public KubernetesOptions tokenFile(Path file) {
        requireSafeForToken();
        return new KubernetesOptions(server, namespace, clientName, Bearer.file(file), tls, executor, environment);
    }

    private void requireSafeForToken() {
        String host = server.getHost();
        boolean here = host.equals("localhost") || host.matches("127(\\.[0-9]{1,3}){3}") || host.equals("[::1]");
        require(
                here || "https".equals(server.getScheme()),
                "a token is not sent over http:// to another host: anyone on the way could read it. Use https://");
    }

    /** The bearer token. Read it from the environment, not from the source. */
    public KubernetesOptions token(String token) {
        requireSafeForToken();
        String trimmed = token.strip();
        require(!trimmed.isEmpty(), "the token is empty");
        require(Bearer.isToken(trimmed), "the token has characters that no token has");
        return new KubernetesOptions(server, namespace, clientName, () -> trimmed, tls, executor, environment);
    }

    /**
     * A PEM file with the certificates to trust. It is read now, and again for each connection, so
     * that it may be replaced; while it cannot be used, the last one counts. Default: the JVM's
     * trust.
     *
     * @throws LeaseConfigException if it cannot be read, or contains no certificate
     */
    public KubernetesOptions caFile(Path pem) {
        try {
            AtomicReference<SSLContext> last = new AtomicReference<>(Trust.ofFile(pem));
            return sslContext(new CurrentContext(() -> reread(pem, last)));
        } catch (IOException | GeneralSecurityException unusable) {
            throw new LeaseConfigException("the CA file " + pem + " cannot be used: " + unusable.getMessage());
        }
    }

    private static SSLContext reread(Path pem, AtomicReference<SSLContext> last) {
        try {
            last.set(Trust.ofFile(pem));
        } catch (IOException | GeneralSecurityException halfReplaced) {
            // The next connection reads it again.
        }
        return last.get();
    }

    /** Trust, and keys for a client certificate. The server's name is always checked. */
    public KubernetesOptions sslContext(SSLContext context) {
        return new KubernetesOptions(server, namespace, clientName, bearer, context, executor, environment);
    }

    /**
     * Threads that carry out requests, and may block while a claim waits; see {@link
     * ConnectOptions#ioExecutor}. Default: virtual threads where the JVM has them, otherwise daemon
     * threads.
     */
    public KubernetesOptions ioExecutor(@Nullable Executor given) {
        return new KubernetesOptions(server, namespace, clientName, bearer, tls, given, environment);
    }

    /** Clocks, timers and threads. Default: {@link LeaseEnvironment#system()}. */
    public KubernetesOptions environment(LeaseEnvironment given) {
        return new KubernetesOptions(server, namespace, clientName, bearer, tls, executor, given);
    }

    private static void require(boolean condition, String rule) {
        if (!condition) {
            throw new LeaseConfigException(rule);
        }
    }

    URI server() {
        return server;
    }

    String namespace() {
        return namespace;
    }

    String clientName() {
        return clientName == null ? ConnectOptions.defaults().clientName() : clientName;
    }

    Bearer bearer() {
        return bearer;
    }

    SSLContext sslContext() {
        return tls == null ? Trust.ofJvm() : tls;
    }

    /** The user's threads; null for the back end's own. */
    @Nullable
    Executor ioExecutor() {
        return executor;
    }

    LeaseEnvironment environment() {
        return environment;
    }

    /** Without the token. */
    @Override
    public String toString() {
        return "leases in " + namespace + " at " + server;
    }
}
