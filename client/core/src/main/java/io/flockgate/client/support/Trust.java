package io.flockgate.client.support;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.NoSuchAlgorithmException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** The authorities that connections trust: the JVM's own, or only those of a PEM file. */
public final class Trust {
    private static final int MAX_BYTES = 1 << 20;

    private Trust() {}

    /** The JVM's own trust and keys. Loading them takes long. */
    public static SSLContext ofJvm() {
        try {
            return SSLContext.getDefault();
        } catch (NoSuchAlgorithmException unusable) {
            throw new IllegalStateException("the JVM has no usable TLS", unusable);
        }
    }

    /**
     * Reads the file now.
     *
     * @throws IOException if it cannot be read, or is longer than 1 MiB
     * @throws GeneralSecurityException if it contains no certificate, or an unusable one
     */
    public static SSLContext ofFile(Path pem) throws IOException, GeneralSecurityException {
        byte[] content;
        try (InputStream file = Files.newInputStream(pem)) {
            content = file.readNBytes(MAX_BYTES + 1);
        }
        if (content.length > MAX_BYTES) {
            throw new IOException("it is longer than 1 MiB");
        }
        return trusting(
                CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(content)));
    }

    /**
     * Reads the file now, and again whenever it is asked, so that the file may be replaced. While
     * the file cannot be used, the last trust counts.
     *
     * @throws IOException as {@link #ofFile}
     * @throws GeneralSecurityException as {@link #ofFile}
     */
    public static Supplier<SSLContext> ofCurrentFile(Path pem) throws IOException, GeneralSecurityException {
        AtomicReference<SSLContext> last = new AtomicReference<>(ofFile(pem));
        return () -> reread(pem, last);
    }

    private static SSLContext reread(Path pem, AtomicReference<SSLContext> last) {
        try {
            last.set(ofFile(pem));
        } catch (IOException | GeneralSecurityException halfReplaced) {
            // The next connection reads it again.
        }
        return last.get();
    }

    private static SSLContext trusting(Collection<? extends Certificate> authorities)
            throws IOException, GeneralSecurityException {
        if (authorities.isEmpty()) {
            throw new CertificateException("it contains no certificate");
        }
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        int number = 0;
        for (Certificate authority : authorities) {
            store.setCertificateEntry("ca-" + number, authority);
            number++;
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
