package io.flockgate.gateway.net;

import io.flockgate.file.PemFiles;
import io.flockgate.file.ReloadedFiles;
import io.flockgate.gateway.config.GatewayConfig.TlsConfig;
import io.flockgate.gateway.config.GatewayConfig.TlsConfig.ClientCa;
import io.flockgate.gateway.eventloop.FileChecks;
import io.flockgate.text.Quoting;
import io.flockgate.text.Reason;
import io.vertx.core.Vertx;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.ServerSSLOptions;
import io.vertx.core.net.TrustOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509KeyManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificate and key of this gateway, and the authorities that sign the certificates of
 * clients. They are read and checked at startup rather than at the first handshake, and again when
 * their files change. Both ports use them. Thread safe.
 */
public final class Certificates {
    private static final Logger LOG = LoggerFactory.getLogger(Certificates.class);
    private static final String EDDSA = "EdDSA";
    private static final List<String> KEY_TYPES = List.of("RSA", "EC", EDDSA);
    private static final Set<String> PROTOCOLS = Set.of("TLSv1.3", "TLSv1.2");

    private static final byte[] SAMPLE = {1, 2, 3};

    private final TlsConfig config;
    private final Vertx vertx;
    private final Duration handshakeTimeout;
    private final ReloadedFiles<Content> content;
    private final List<Consumer<ServerSSLOptions>> servers = new CopyOnWriteArrayList<>();

    /**
     * What the files contain.
     *
     * @param authorities null if clients are not asked for a certificate
     */
    private record Content(KeyManagerFactory keys, @Nullable ClientTrust authorities) {}

    private Certificates(TlsConfig config, Duration handshakeTimeout, Vertx vertx) throws IOException {
        this.config = config;
        this.handshakeTimeout = handshakeTimeout;
        this.vertx = vertx;
        this.content = ReloadedFiles.read(files(config), this::read, new Reloading(), System.nanoTime());
    }

    /**
     * Reads the files, which blocks.
     *
     * @param handshakeTimeout the time that a client has for its handshake
     * @throws IOException if they cannot be used, with the flag and the file in its message
     */
    public static Certificates load(TlsConfig config, Duration handshakeTimeout, Vertx vertx) throws IOException {
        Certificates certificates = new Certificates(config, handshakeTimeout, vertx);
        FileChecks.start(vertx, certificates.content::check);
        return certificates;
    }

    /** Lets a server, which must listen, use each later version of the files. */
    void follow(Consumer<ServerSSLOptions> server) {
        servers.add(server);
    }

    /** Turns on TLS for a server. Its threads for blocking work compute for the handshakes. */
    void configure(NetServerOptions options) {
        NetServerOptions unused = configure(options, content.value());
    }

    private NetServerOptions configure(NetServerOptions options, Content now) {
        options.setSsl(true)
                .setUseAlpn(false)
                .setSslEngineOptions(new JdkSSLEngineOptions().setUseWorkerThread(true))
                .setEnabledSecureTransportProtocols(PROTOCOLS)
                .setSslHandshakeTimeout(handshakeTimeout.toSeconds())
                .setSslHandshakeTimeoutUnit(TimeUnit.SECONDS)
                .setKeyCertOptions(KeyCertOptions.wrap(now.keys()));
        suites().forEach(options::addEnabledCipherSuite);
        if (now.authorities() != null) {
            options.setTrustOptions(TrustOptions.wrap(now.authorities()));
            options.setClientAuth(
                    config.clients().filter(ClientCa::required).isPresent() ? ClientAuth.REQUIRED : ClientAuth.REQUEST);
        }
        return options;
    }

    private Content read() throws IOException {
        ClientCa clients = config.clients().orElse(null);
        return new Content(keys(config, vertx), clients == null ? null : trust(clients.file()));
    }

    private static List<Path> files(TlsConfig config) {
        return Stream.concat(
                        Stream.of(config.certificate(), config.key()), config.clients().map(ClientCa::file).stream())
                .toList();
    }

    /** Uses certificates that have been read again for handshakes from then on, and logs it. */
    private final class Reloading implements ReloadedFiles.Observer<Content> {
        @Override
        public void reloaded(Content read) {
            ServerSSLOptions options = configure(new NetServerOptions(), read).getSslOptions();
            servers.forEach(server -> server.accept(options));
            LOG.atInfo()
                    .addKeyValue("cert", config.certificate())
                    .addKeyValue("key", config.key())
                    .log("TLS certificate read again");
        }

        @Override
        public void unusable(Exception failure) {
            LOG.atError()
                    .addKeyValue("err", Reason.of(failure))
                    .log("TLS certificate cannot be used; its last version stays in use");
        }
    }

    /** The JDK's, without CBC: its suites of TLS 1.2 authenticate before they encrypt. */
    private static Stream<String> suites() {
        try {
            return Arrays.stream(
                            SSLContext.getDefault().getDefaultSSLParameters().getCipherSuites())
                    .filter(suite -> !suite.contains("_CBC_"));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static PemKeyCertOptions pem(TlsConfig config) {
        return new PemKeyCertOptions()
                .setCertPath(config.certificate().toString())
                .setKeyPath(config.key().toString());
    }

    private static KeyManagerFactory keys(TlsConfig config, Vertx vertx) throws IOException {
        byte[] certificate = read("--tls-cert", config.certificate());
        byte[] key = read("--tls-key", config.key());
        if (PemFiles.hasEncryptedKey(key)) {
            throw new IOException(
                    "--tls-key: " + config.key() + " is encrypted. Decrypt it: openssl pkey -in " + config.key());
        }
        try {
            PrivateKey edDsa = PemFiles.edDsaKey(key).orElse(null);
            // Vert.x reads all keys but those of EdDSA.
            KeyManagerFactory keys =
                    edDsa == null ? pem(config).getKeyManagerFactory(vertx) : keyManagers(edDsa, certificate);
            if (!fit(keys)) {
                throw new IOException(
                        "--tls-key: " + config.key() + " is not the key of --tls-cert " + config.certificate());
            }
            return keys;
        } catch (IOException e) {
            throw e;
        } catch (Exception e) { // Vert.x declares nothing more specific
            throw new IOException(
                    "--tls-cert " + config.certificate() + " and --tls-key " + config.key() + " cannot be used: "
                            + Reason.of(e),
                    e);
        }
    }

    private static KeyManagerFactory keyManagers(PrivateKey key, byte[] chain)
            throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        store.setKeyEntry("key", key, new char[0], PemFiles.certificates(chain).toArray(new Certificate[0]));
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, new char[0]);
        return keys;
    }

    /** Trusts the authorities in the file that sign the certificates of clients; at least one. */
    private static ClientTrust trust(Path file) throws IOException {
        try {
            return ClientTrust.of(PemFiles.authorities(file));
        } catch (IOException | GeneralSecurityException e) {
            throw unusable("--tls-client-ca", file, e);
        }
    }

    private static byte[] read(String flag, Path file) throws IOException {
        try {
            return PemFiles.read(file);
        } catch (IOException e) {
            throw unusable(flag, file, e);
        }
    }

    private static IOException unusable(String flag, Path file, Exception e) {
        return new IOException(flag + ": cannot read " + Quoting.quoted(file.toString()) + ": " + Reason.of(e), e);
    }

    /** Whether the certificate verifies a signature of the key. */
    private static boolean fit(KeyManagerFactory factory) throws GeneralSecurityException {
        for (KeyManager manager : factory.getKeyManagers()) {
            if (manager instanceof X509KeyManager keys) {
                for (String type : KEY_TYPES) {
                    String[] aliases = keys.getServerAliases(type, null);
                    if (aliases != null) {
                        X509Certificate leaf = keys.getCertificateChain(aliases[0])[0];
                        return fit(keys.getPrivateKey(aliases[0]), leaf.getPublicKey());
                    }
                }
            }
        }
        return false;
    }

    private static boolean fit(PrivateKey key, PublicKey certified) throws GeneralSecurityException {
        if (!key.getAlgorithm().equals(certified.getAlgorithm())) {
            return false;
        }
        Signature signature = Signature.getInstance(
                switch (key.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case EDDSA -> EDDSA;
                    default -> "SHA256withECDSA";
                });
        signature.initSign(key);
        signature.update(SAMPLE);
        byte[] signed = signature.sign();
        signature.initVerify(certified);
        signature.update(SAMPLE);
        return signature.verify(signed);
    }
}
