package io.flockgate.storage.consul.api;

import io.flockgate.file.PemFiles;
import io.flockgate.file.ReloadedFiles;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.text.Reason;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.apache.http.config.Lookup;
import org.apache.http.conn.socket.ConnectionSocketFactory;
import org.apache.http.conn.ssl.SSLConnectionSocketFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates TLS connections with certificates from PEM files. It rereads changed files, but checks
 * for changes at most once a second. While the files are not valid, it uses their last valid
 * content. Host names are verified.
 */
final class TlsSockets implements Lookup<ConnectionSocketFactory>, ReloadedFiles.Observer<SSLConnectionSocketFactory> {
    private static final Logger LOG = LoggerFactory.getLogger(TlsSockets.class);

    private final Environment environment;
    private final @Nullable Path caFile;
    private final @Nullable Path clientCert;
    private final @Nullable Path clientKey;
    private final ReloadedFiles<SSLConnectionSocketFactory> sockets;

    /**
     * @throws IllegalArgumentException when the files cannot be used
     */
    TlsSockets(Environment environment, ConsulOptions options) {
        this.environment = environment;
        this.caFile = options.caFile();
        this.clientCert = options.clientCert();
        this.clientKey = options.clientKey();
        List<Path> files = Stream.of(caFile, clientCert, clientKey)
                .flatMap(Stream::ofNullable)
                .toList();
        try {
            this.sockets = ReloadedFiles.read(files, this::load, this, environment.now());
        } catch (IOException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    @Override
    public ConnectionSocketFactory lookup(String scheme) {
        return sockets.current(environment.now());
    }

    @Override
    public void reloaded(SSLConnectionSocketFactory made) {
        LOG.info("Consul's certificate files have been read again");
    }

    @Override
    public void unusable(Exception failure) {
        LOG.atWarn()
                .addKeyValue("err", Reason.of(failure))
                .log("Consul's certificate files cannot be used; their last content stays in use");
    }

    private SSLConnectionSocketFactory load() throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys(), authorities(), null);
            return new SSLConnectionSocketFactory(
                    context,
                    new String[] {"TLSv1.3", "TLSv1.2"},
                    null,
                    SSLConnectionSocketFactory.getDefaultHostnameVerifier());
        } catch (GeneralSecurityException e) {
            throw new IOException("TLS for Consul cannot be set up: " + e.getMessage(), e);
        }
    }

    private TrustManager @Nullable [] authorities() throws IOException {
        if (caFile == null) {
            return null;
        }
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (X509Certificate authority : PemFiles.authorities(caFile)) {
                store.setCertificateEntry("ca-" + store.size(), authority);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            return trust.getTrustManagers();
        } catch (IOException | GeneralSecurityException e) {
            throw unusable("CA file " + caFile, e);
        }
    }

    private KeyManager @Nullable [] keys() throws IOException {
        if (clientCert == null || clientKey == null) {
            return null;
        }
        try {
            // Unlike the Java runtime, this class also reads PKCS#1 and SEC1. With bytes instead of
            // paths it needs no Vertx.
            return new PemKeyCertOptions()
                    .addCertValue(Buffer.buffer(PemFiles.read(clientCert)))
                    .addKeyValue(Buffer.buffer(PemFiles.read(clientKey)))
                    .getKeyManagerFactory(null)
                    .getKeyManagers();
        } catch (Exception e) {
            throw unusable("client certificate " + clientCert + " with key " + clientKey, e);
        }
    }

    private static IOException unusable(String what, Exception e) {
        return new IOException("Consul's " + what + " cannot be used: " + Reason.of(e), e);
    }
}
