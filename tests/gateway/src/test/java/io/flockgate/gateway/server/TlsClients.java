package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Clients that trust one certificate and check the server's name, and the test certificates
 * themselves.
 */
public final class TlsClients {
    private final SSLContext context;

    private TlsClients(SSLContext context) {
        this.context = context;
    }

    /** The path of one of the test files. */
    public static String file(String name) throws Exception {
        return Path.of(Objects.requireNonNull(TlsClients.class.getResource("/test-only-tls/" + name))
                        .toURI())
                .toString();
    }

    public static String[] flags(String certificate, String key) throws Exception {
        return new String[] {"--tls-cert=" + file(certificate), "--tls-key=" + file(key)};
    }

    /** The same, followed by other flags. */
    public static String[] flags(String certificate, String key, String... others) throws Exception {
        List<String> all = new ArrayList<>(List.of(flags(certificate, key)));
        all.addAll(List.of(others));
        return all.toArray(String[]::new);
    }

    public static TlsClients trusting(String certificate) throws GeneralSecurityException, IOException {
        return new TlsClients(context(certificate));
    }

    /** Clients that also present a certificate, which has an elliptic-curve key. */
    public static TlsClients showing(String own, String key, String trusted) throws Exception {
        return new TlsClients(context(trusted, ClientCertificate.of(own, key)));
    }

    private static SSLContext context(String certificate, KeyManager... own)
            throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        try (InputStream pem = TlsClients.class.getResourceAsStream("/test-only-tls/" + certificate)) {
            store.setCertificateEntry(
                    "trusted", CertificateFactory.getInstance("X.509").generateCertificate(pem));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own, trust.getTrustManagers(), null);
        return context;
    }

    public SSLContext context() {
        return context;
    }

    /** A client that connects by address and therefore names no server. */
    public LineClient connect(int port) throws IOException {
        return connect(port, null, null);
    }

    /**
     * A client after its handshake.
     *
     * @param serverName the server name that it sends in its handshake; null for none
     * @param protocol the only version that it speaks; null for any
     */
    public LineClient connect(int port, @Nullable String serverName, @Nullable String protocol) throws IOException {
        return connect(new Socket(InetAddress.getLoopbackAddress(), port), true, serverName, protocol);
    }

    /** A client over a connection that ends with the client. */
    public LineClient over(Socket connection) throws IOException {
        return connect(connection, true, null, null);
    }

    /** A client over a connection that stays open when the client closes. */
    public LineClient over(Socket connection, String protocol) throws IOException {
        return connect(connection, false, null, protocol);
    }

    private LineClient connect(Socket plain, boolean closed, @Nullable String serverName, @Nullable String protocol)
            throws IOException {
        return LineClient.over(handshake(plain, closed, serverName, protocol));
    }

    /** A socket after its handshake. */
    SSLSocket handshake(int port, String protocol) throws IOException {
        return handshake(new Socket(InetAddress.getLoopbackAddress(), port), true, null, protocol);
    }

    private SSLSocket handshake(Socket plain, boolean closed, @Nullable String serverName, @Nullable String protocol)
            throws IOException {
        plain.setSoTimeout(Math.toIntExact(LineClient.PATIENCE.toMillis()));
        SSLSocket socket = (SSLSocket) context.getSocketFactory()
                .createSocket(plain, serverName == null ? "127.0.0.1" : serverName, plain.getPort(), closed);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        if (serverName != null) {
            parameters.setServerNames(List.of(new SNIHostName(serverName)));
        }
        if (protocol != null) {
            parameters.setProtocols(new String[] {protocol});
        }
        socket.setSSLParameters(parameters);
        try {
            socket.startHandshake();
        } catch (IOException e) {
            plain.close();
            throw e;
        }
        if (protocol != null) {
            assertThat(socket.getSession().getProtocol()).isEqualTo(protocol);
        }
        return socket;
    }
}
