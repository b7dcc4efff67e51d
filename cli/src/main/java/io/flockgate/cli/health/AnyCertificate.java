package io.flockgate.cli.health;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Accepts any server certificate. The health check sends no secret and trusts nothing in the answer
 * but "I work". It must not report a gateway as unhealthy because its certificate has just been
 * replaced, or names only the hosts by which other machines know it.
 */
final class AnyCertificate extends X509ExtendedTrustManager {
    private volatile boolean seen;

    /** A TLS client over this connection, before its handshake. */
    SSLSocket connect(Socket plain, String host, int port) throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {this}, null);
            return (SSLSocket) context.getSocketFactory().createSocket(plain, host, port, true);
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    /** Whether a server has presented a certificate. */
    boolean hasSeenOne() {
        return seen;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket) {
        seen = true;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {
        seen = true;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) {
        seen = true;
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket) {
        throw new UnsupportedOperationException("no server");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {
        throw new UnsupportedOperationException("no server");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) {
        throw new UnsupportedOperationException("no server");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
