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
 * Takes any certificate of a server. The check of health sends no secret and believes nothing that
 * it is told but "I work", and it must not call a gateway unhealthy whose certificate has just been
 * replaced, or names the hosts that other machines know it by.
 */
final class AnyCertificate extends X509ExtendedTrustManager {
    private volatile boolean seen;

    /** A client of TLS over this connection, before its handshake. */
    SSLSocket connect(Socket plain, String host, int port) throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {this}, null);
            return (SSLSocket) context.getSocketFactory().createSocket(plain, host, port, true);
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    /** Whether a server has shown a certificate. */
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
