package io.flockgate.storage.consul.api;

import io.flockgate.file.FileStamp;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.text.Reason;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.apache.http.HttpHost;
import org.apache.http.conn.socket.LayeredConnectionSocketFactory;
import org.apache.http.conn.ssl.SSLConnectionSocketFactory;
import org.apache.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes TLS connections with certificates from PEM files. It reads changed files again, but checks
 * for changes at most once a second. While the files are not valid, it uses their last valid
 * content. Host names are verified.
 */
final class TlsSockets implements LayeredConnectionSocketFactory {
    private static final Logger LOG = LoggerFactory.getLogger(TlsSockets.class);
    private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long MAX_FILE = 1 << 20;

    private final Environment environment;
    private final @Nullable Path caFile;
    private final @Nullable Path clientCert;
    private final @Nullable Path clientKey;
    private final List<Path> files;
    private final ReentrantLock reloading = new ReentrantLock();
    private volatile SSLConnectionSocketFactory sockets;
    private volatile long checked;
    // Guarded by the lock.
    private @Nullable List<FileStamp> stamps;
    private boolean warned;

    /**
     * @throws IllegalArgumentException when the files cannot be used
     */
    TlsSockets(Environment environment, ConsulOptions options) {
        this.environment = environment;
        this.checked = environment.now();
        this.caFile = options.caFile();
        this.clientCert = options.clientCert();
        this.clientKey = options.clientKey();
        this.files = Stream.of(caFile, clientCert, clientKey)
                .flatMap(Stream::ofNullable)
                .toList();
        this.stamps = FileStamp.of(files);
        this.sockets = load();
    }

    private SSLConnectionSocketFactory current() {
        if (environment.now() - checked >= CHECK_NANOS && reloading.tryLock()) {
            try {
                reload();
            } finally {
                reloading.unlock();
            }
        }
        return sockets;
    }

    private void reload() {
        checked = environment.now();
        List<FileStamp> now = FileStamp.of(files);
        if (now != null && now.equals(stamps)) {
            return;
        }
        try {
            sockets = load();
            stamps = now;
            warned = false;
            LOG.info("Consul's certificate files have been read again");
        } catch (IllegalArgumentException e) {
            if (!warned) {
                warned = true;
                LOG.atWarn()
                        .addKeyValue("err", e.getMessage())
                        .log("Consul's certificate files cannot be used; their last content stays in use");
            }
        }
    }

    private SSLConnectionSocketFactory load() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys(), authorities(), null);
            return new SSLConnectionSocketFactory(
                    context,
                    new String[] {"TLSv1.3", "TLSv1.2"},
                    null,
                    SSLConnectionSocketFactory.getDefaultHostnameVerifier());
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("TLS for Consul cannot be set up: " + e.getMessage(), e);
        }
    }

    private TrustManager @Nullable [] authorities() {
        if (caFile == null) {
            return null;
        }
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            var file = new ByteArrayInputStream(read(caFile));
            for (Certificate authority : CertificateFactory.getInstance("X.509").generateCertificates(file)) {
                store.setCertificateEntry("ca-" + store.size(), authority);
            }
            if (store.size() == 0) {
                throw new CertificateException("no certificate in it");
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            return trust.getTrustManagers();
        } catch (IOException | GeneralSecurityException e) {
            throw unusable("CA file " + caFile, e);
        }
    }

    private KeyManager @Nullable [] keys() {
        if (clientCert == null || clientKey == null) {
            return null;
        }
        try {
            // Unlike the Java runtime, this class also reads PKCS#1 and SEC1. With bytes instead of paths it needs no
            // Vertx.
            return new PemKeyCertOptions()
                    .addCertValue(Buffer.buffer(read(clientCert)))
                    .addKeyValue(Buffer.buffer(read(clientKey)))
                    .getKeyManagerFactory(null)
                    .getKeyManagers();
        } catch (Exception e) {
            throw unusable("client certificate " + clientCert + " with key " + clientKey, e);
        }
    }

    private static IllegalArgumentException unusable(String what, Exception e) {
        return new IllegalArgumentException("Consul's " + what + " cannot be used: " + Reason.of(e), e);
    }

    private static byte[] read(Path file) throws IOException {
        if (Files.size(file) > MAX_FILE) {
            throw new IOException("larger than " + MAX_FILE + " bytes");
        }
        return Files.readAllBytes(file);
    }

    @Override
    public Socket createSocket(HttpContext context) throws IOException {
        return current().createSocket(context);
    }

    @Override
    public Socket connectSocket(
            int connectMillis,
            Socket socket,
            HttpHost host,
            InetSocketAddress remote,
            @Nullable InetSocketAddress local,
            HttpContext context)
            throws IOException {
        return current().connectSocket(connectMillis, socket, host, remote, local, context);
    }

    @Override
    public Socket createLayeredSocket(Socket socket, String target, int port, HttpContext context) throws IOException {
        return current().createLayeredSocket(socket, target, port, context);
    }
}
