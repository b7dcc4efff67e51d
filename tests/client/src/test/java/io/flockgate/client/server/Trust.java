package io.flockgate.client.server;

import io.flockgate.testsupport.Repository;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** The certificates of the gateway's tests. */
final class Trust {
    private Trust() {}

    static Path file(String name) {
        return Repository.file("tests/gateway/src/test/resources/test-only-tls").resolve(name);
    }

    /** Trust in this certificate alone. */
    static SSLContext in(String certificate) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        try (InputStream pem = Files.newInputStream(file(certificate))) {
            store.setCertificateEntry(
                    "trusted", CertificateFactory.getInstance("X.509").generateCertificate(pem));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    /**
     * Performs a handshake with a server, which loads the code on both sides, because the first one
     * takes long on a busy machine.
     */
    static void warm(String certificate, int port) throws Exception {
        try (SSLSocket socket = (SSLSocket) in(certificate).getSocketFactory().createSocket("localhost", port)) {
            socket.startHandshake();
        }
    }
}
