package io.flockgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
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

    /** Copies one of the test files, to the place of another one if there is one. */
    public static void copy(String name, Path to) throws Exception {
        Path unused = Files.copy(Path.of(file(name)), to, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Whether a client that trusts this certificate accepts the one of a port. */
    public static boolean accept(String trusted, int port) {
        try (SSLSocket socket = trusting(trusted).handshake(port, "TLSv1.3")) {
            return socket.isConnected();
        } catch (IOException | GeneralSecurityException untrusted) {
            return false;
        }
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

    /**
     * The first message of a client that supports versions up to this one, with cipher suites for
     * all of them.
     */
    public static byte[] hello(String version) {
        String groups = "000a0004" + "00020017";
        String signatures = "000d0008" + "0006" + "040108040201";
        String points = "000b0002" + "0100";
        String extensions = groups + signatures + points;
        String body = version + "00".repeat(32) + "00" + "0004" + "c02f" + "c013" + "0100" + length(extensions, 2)
                + extensions;
        String handshake = "01" + length(body, 3) + body;
        return HexFormat.of().parseHex("160301" + length(handshake, 2) + handshake);
    }

    private static String length(String hex, int bytes) {
        return HexFormat.of().toHexDigits(hex.length() / 2, 2 * bytes);
    }

    /** Presents one certificate to every server, whichever authorities the server requests. */
    private static final class ClientCertificate extends X509ExtendedKeyManager {
        private static final String ALIAS = "client";

        private final X509Certificate[] chain;
        private final PrivateKey key;

        private ClientCertificate(X509Certificate[] chain, PrivateKey key) {
            this.chain = chain;
            this.key = key;
        }

        /** From test files, with an elliptic-curve key. */
        static ClientCertificate of(String certificate, String key) throws Exception {
            try (var pem = TlsClients.class.getResourceAsStream("/test-only-tls/" + certificate)) {
                X509Certificate[] chain = CertificateFactory.getInstance("X.509").generateCertificates(pem).stream()
                        .map(X509Certificate.class::cast)
                        .toArray(X509Certificate[]::new);
                return new ClientCertificate(chain, key(key));
            }
        }

        private static PrivateKey key(String file) throws Exception {
            String base64 = Files.readString(Path.of(file(file))).replaceAll("-----[^\n]*-----|\\s", "");
            return KeyFactory.getInstance("EC")
                    .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64)));
        }

        @Override
        public String chooseClientAlias(String[] types, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return ALIAS;
        }

        @Override
        public String chooseEngineClientAlias(
                String[] types, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
            return ALIAS;
        }

        @Override
        public String[] getClientAliases(String type, Principal @Nullable [] issuers) {
            return new String[] {ALIAS};
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return chain.clone();
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return key;
        }

        @Override
        public String @Nullable [] getServerAliases(String type, Principal @Nullable [] issuers) {
            return null;
        }

        @Override
        public @Nullable String chooseServerAlias(
                String type, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return null;
        }
    }
}
