package io.flockgate.cli.shared;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes the connections of {@code HttpsURLConnection}s to one place, each with the trust of the
 * moment. The place may be an address of the host after the first: the host's name then stays in
 * the request and in the check of the certificate. The JDK asks for an unconnected socket, connects
 * it, and passes it back to be secured.
 */
final class PlaceSockets extends SSLSocketFactory {
    private final Supplier<SSLContext> trust;
    private final @Nullable String at;

    /**
     * @param trust asked for each connection
     * @param at an IP address, of IPv6 in brackets; null for the one that the JDK finds
     */
    PlaceSockets(Supplier<SSLContext> trust, @Nullable String at) {
        this.trust = trust;
        this.at = at;
    }

    @Override
    public Socket createSocket() {
        return new Socket() {
            @Override
            public void connect(SocketAddress named, int timeout) throws IOException {
                int port = ((InetSocketAddress) named).getPort();
                super.connect(at == null ? named : new InetSocketAddress(at, port), timeout);
            }
        };
    }

    @Override
    public Socket createSocket(Socket connected, String host, int port, boolean autoClose) throws IOException {
        return trust.get().getSocketFactory().createSocket(connected, host, port, autoClose);
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw connected();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) {
        throw connected();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw connected();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
        throw connected();
    }

    private static UnsupportedOperationException connected() {
        return new UnsupportedOperationException("the JDK connects an unconnected socket");
    }

    @Override
    public String[] getDefaultCipherSuites() {
        return trust.get().getSocketFactory().getDefaultCipherSuites();
    }

    @Override
    public String[] getSupportedCipherSuites() {
        return trust.get().getSocketFactory().getSupportedCipherSuites();
    }
}
