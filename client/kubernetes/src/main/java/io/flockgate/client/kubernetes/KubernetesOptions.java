package io.flockgate.client.kubernetes;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.LeaseAuthException;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.support.Trust;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Map;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The options of a {@link KubernetesBackend}. Immutable: each method returns a changed copy, and
 * throws {@link LeaseConfigException} if its argument is not usable. Safe from any thread.
 *
 * {@snippet :
 * KubernetesOptions options = KubernetesOptions.inCluster()
 *         .namespace("billing")
 *         .connection(ConnectOptions.defaults().clientName("billing-7"));
 * }
 */
public final class KubernetesOptions {
    private static final Path SERVICE_ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

    private final URI server;
    private final String namespace;
    private final @Nullable Path tokenFile;
    private final @Nullable Supplier<SSLContext> authority;
    private final ConnectOptions connection;

    private KubernetesOptions(
            URI server,
            String namespace,
            @Nullable Path tokenFile,
            @Nullable Supplier<SSLContext> authority,
            ConnectOptions connection) {
        this.server = server;
        this.namespace = namespace;
        this.tokenFile = tokenFile;
        this.authority = authority;
        this.connection = connection;
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
        return new KubernetesOptions(server, namespace, null, null, ConnectOptions.defaults());
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
        return new KubernetesOptions(server, of(server, other).namespace, tokenFile, authority, connection);
    }

    /**
     * The client's name, with which the {@code holderIdentity} of its leases begins, its token,
     * trust, threads and clocks. A {@link #tokenFile} and a {@link #caFile} come first. Default:
     * {@link ConnectOptions#defaults()}.
     */
    public KubernetesOptions connection(ConnectOptions options) {
        String token = options.authToken();
        if (token != null) {
            requireSafeForToken();
            require(isToken(token), "the token has characters that no token has");
        }
        return new KubernetesOptions(server, namespace, tokenFile, authority, options);
    }

    /**
     * A file with the bearer token. It is read again for each request, because Kubernetes replaces
     * it every hour.
     */
    public KubernetesOptions tokenFile(Path file) {
        requireSafeForToken();
        return new KubernetesOptions(server, namespace, file, authority, connection);
    }

    private void requireSafeForToken() {
        String host = server.getHost();
        boolean here = host.equals("localhost") || host.matches("127(\\.[0-9]{1,3}){3}") || host.equals("[::1]");
        require(
                here || "https".equals(server.getScheme()),
                "a token is not sent over http:// to another host: anyone on the way could read it. Use https://");
    }

    /** Whether a text can be a token. The JDK's message about an invalid header would show it. */
    private static boolean isToken(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> c > ' ' && c < 0x7f);
    }

    /**
     * A PEM file with the certificates to trust. It is read now, and again for each connection, so
     * that it may be replaced; while it cannot be used, the last one counts.
     *
     * @throws LeaseConfigException if it cannot be read, or contains no certificate
     */
    public KubernetesOptions caFile(Path pem) {
        try {
            return new KubernetesOptions(server, namespace, tokenFile, Trust.ofCurrentFile(pem), connection);
        } catch (IOException | GeneralSecurityException unusable) {
            throw new LeaseConfigException("the CA file " + pem + " cannot be used: " + unusable.getMessage());
        }
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

    ConnectOptions connection() {
        return connection;
    }

    /**
     * The bearer token for one request; empty for none.
     *
     * @throws LeaseAuthException if its file contains none
     */
    String token() {
        if (tokenFile == null) {
            String token = connection.authToken();
            return token == null ? "" : token;
        }
        String text;
        try {
            text = Files.readString(tokenFile).strip();
        } catch (IOException unreadable) {
            // Without the cause, because some of the reader's messages quote what was read.
            throw new LeaseAuthException("the file of the token cannot be read: " + tokenFile);
        }
        if (!isToken(text)) {
            throw new LeaseAuthException("the file of the token holds no token: " + tokenFile);
        }
        return text;
    }

    /** Supplies trust and keys for a connection. */
    Supplier<SSLContext> sslContext() {
        return authority != null ? authority : connection.sslContext();
    }

    /** Without the token. */
    @Override
    public String toString() {
        return "leases in " + namespace + " at " + server;
    }
}
