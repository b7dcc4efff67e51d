package io.flockgate.gateway.net;

import io.flockgate.file.PemFiles;
import io.flockgate.file.ReloadedFiles;
import io.flockgate.gateway.config.TlsConfig;
import io.flockgate.gateway.config.TlsConfig.ClientCa;
import io.flockgate.gateway.eventloop.FileChecks;
import io.flockgate.text.Quoting;
import io.flockgate.text.Reason;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.vertx.core.Vertx;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509KeyManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificate and key of this gateway, and the authorities that sign the certificates of
 * clients. They are read and checked at startup rather than at the first handshake, and again when
 * their files change. Both ports use them. Thread safe.
 */
public final class Certificates {
    private static final Logger LOG = LoggerFactory.getLogger(Certificates.class);
    private static final List<String> KEY_TYPES = List.of("RSA", "EC");
    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

    /**
     * Sessions kept for clients without tickets. A session keeps the server name sent by its
     * client, up to 30 KB.
     */
    private static final long MAX_SESSIONS = 1_000;

    private static final byte[] SAMPLE = {1, 2, 3};

    private final TlsConfig config;
    private final Vertx vertx;
    private final ReloadedFiles<SslContext> context;

    private Certificates(TlsConfig config, Vertx vertx) throws IOException {
        this.config = config;
        this.vertx = vertx;
        this.context = ReloadedFiles.read(files(config), this::read, new Reloading(config), System.nanoTime());
    }

    /**
     * Reads the files, which blocks.
     *
     * @throws IOException if they cannot be used, with the flag and the file in its message
     */
    public static Certificates load(TlsConfig config, Vertx vertx) throws IOException {
        Certificates certificates = new Certificates(config, vertx);
        FileChecks.start(vertx, certificates.context::check);
        return certificates;
    }

    /** The settings of a handshake that begins now. */
    SslContext context() {
        return context.value();
    }

    /** Whether the handshake requests a certificate from clients. */
    boolean asksClients() {
        return config.clients().isPresent();
    }

    private SslContext read() throws IOException {
        SslContextBuilder builder = SslContextBuilder.forServer(keys(config, vertx))
                .sslProvider(SslProvider.JDK)
                .protocols(PROTOCOLS)
                .sessionCacheSize(MAX_SESSIONS)
                .ciphers(ciphers(), SupportedCipherSuiteFilter.INSTANCE);
        ClientCa clients = config.clients().orElse(null);
        return clients == null
                ? builder.build()
                : builder.trustManager(trust(clients.file()))
                        .clientAuth(clients.required() ? ClientAuth.REQUIRE : ClientAuth.OPTIONAL)
                        .build();
    }

    private static List<Path> files(TlsConfig config) {
        return Stream.concat(
                        Stream.of(config.certificate(), config.key()), config.clients().map(ClientCa::file).stream())
                .toList();
    }

    /** Logs that certificates have been read again, for handshakes from then on. */
    private record Reloading(TlsConfig config) implements ReloadedFiles.Observer<SslContext> {
        @Override
        public void reloaded(SslContext context) {
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
    private static List<String> ciphers() throws IOException {
        try {
            return Arrays.stream(
                            SSLContext.getDefault().getDefaultSSLParameters().getCipherSuites())
                    .filter(suite -> !suite.contains("_CBC_"))
                    .toList();
        } catch (NoSuchAlgorithmException e) {
            throw new IOException(e);
        }
    }

    private static PemKeyCertOptions pem(TlsConfig config) {
        return new PemKeyCertOptions()
                .setCertPath(config.certificate().toString())
                .setKeyPath(config.key().toString());
    }

    private static KeyManagerFactory keys(TlsConfig config, Vertx vertx) throws IOException {
        String certificate = readable("--tls-cert", config.certificate());
        String key = readable("--tls-key", config.key());
        try {
            KeyManagerFactory keys = pem(config).getKeyManagerFactory(vertx);
            if (!fit(keys)) {
                throw new IOException("--tls-key: " + key + " is not the key of --tls-cert " + certificate);
            }
            return keys;
        } catch (IOException e) {
            throw e;
        } catch (Exception e) { // Vert.x declares nothing more specific
            throw new IOException(
                    "--tls-cert " + certificate + " and --tls-key " + key + " cannot be used: " + Reason.of(e), e);
        }
    }

    /** Trusts the authorities in the file that sign the certificates of clients; at least one. */
    private static ClientTrust trust(Path file) throws IOException {
        try {
            return ClientTrust.of(PemFiles.authorities(file));
        } catch (IOException | GeneralSecurityException e) {
            throw unusable("--tls-client-ca", file, e);
        }
    }

    private static String readable(String flag, Path file) throws IOException {
        try {
            byte[] unused = PemFiles.read(file);
            return file.toString();
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
        Signature signature =
                Signature.getInstance(key.getAlgorithm().equals("RSA") ? "SHA256withRSA" : "SHA256withECDSA");
        signature.initSign(key);
        signature.update(SAMPLE);
        byte[] signed = signature.sign();
        signature.initVerify(certified);
        signature.update(SAMPLE);
        return signature.verify(signed);
    }
}
