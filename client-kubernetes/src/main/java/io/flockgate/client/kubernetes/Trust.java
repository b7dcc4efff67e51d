package io.flockgate.client.kubernetes;

import io.flockgate.client.LeaseConfigException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Trust in the certificates of a PEM file, and in no other. */
final class Trust {
    private Trust() {}

    static SSLContext of(Path pem) {
        try (InputStream file = Files.newInputStream(pem)) {
            return trusting(CertificateFactory.getInstance("X.509").generateCertificates(file), pem);
        } catch (IOException | GeneralSecurityException unusable) {
            throw new LeaseConfigException("the CA file " + pem + " cannot be used: "
                    + unusable.getClass().getSimpleName());
        }
    }

    private static SSLContext trusting(Collection<? extends Certificate> certificates, Path pem)
            throws GeneralSecurityException, IOException {
        if (certificates.isEmpty()) {
            throw new LeaseConfigException("the CA file " + pem + " has no certificate");
        }
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        int number = 0;
        for (Certificate certificate : certificates) {
            store.setCertificateEntry("ca" + number++, certificate);
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
