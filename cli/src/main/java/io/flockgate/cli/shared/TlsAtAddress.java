package io.flockgate.cli.shared;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import javax.net.ssl.SSLSocketFactory;

/**
 * Makes the connections of a {@code HttpsURLConnection} at one address of its host, whose name
 * stays in the request and in the check of the certificate. The JDK asks for an unconnected socket,
 * connects it, and passes it back to be secured.
 */
final class TlsAtAddress extends SSLSocketFactory {
    private final SSLSocketFactory tls;
    private final String at;

    /**
     * @param at an IP address, of IPv6 in brackets
     */
    TlsAtAddress(SSLSocketFactory tls, String at) {
        this.tls = tls;
        this.at = at;
    }

    @Override
    public Socket createSocket() {
        return new Socket() {
            @Override
            public void connect(SocketAddress named, int timeout) throws IOException {
                super.connect(new InetSocketAddress(at, ((InetSocketAddress) named).getPort()), timeout);
            }
        };
    }

    @Override
    public Socket createSocket(Socket connected, String host, int port, boolean autoClose) throws IOException {
        return tls.createSocket(connected, host, port, autoClose);
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return tls.createSocket(at, port);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
        return tls.createSocket(at, port, local, localPort);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return tls.createSocket(at, port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws IOException {
        return tls.createSocket(at, port, local, localPort);
    }

    @Override
    public String[] getDefaultCipherSuites() {
        return tls.getDefaultCipherSuites();
    }

    @Override
    public String[] getSupportedCipherSuites() {
        return tls.getSupportedCipherSuites();
    }
}
