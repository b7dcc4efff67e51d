package io.flockgate.client.tcp;

import io.flockgate.client.LeaseConfigException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * An address of the line protocol: {@code flockgate://host[:port]}, or {@code flockgates://} for
 * TLS.
 *
 * @param host a name or an IP address, without brackets
 * @param port the TCP port
 * @param tls true to use TLS
 * @param at one of the addresses of the host; null if none was chosen yet
 */
record ServerAddress(
        String host, int port, boolean tls, @Nullable InetAddress at) {
    private static final int DEFAULT_PORT = 6388;

    /** Container names may contain an underscore, with which Java's URI has no host. */
    private static final Pattern AUTHORITY =
            Pattern.compile("(?:\\[([^\\]]+)\\]|([A-Za-z0-9][A-Za-z0-9_.-]{0,252}))(?::([0-9]{0,9}))?");

    /**
     * This server at each address of its host. Blocks for as long as the look-up takes.
     *
     * @throws UnknownHostException if the host has no address
     */
    List<ServerAddress> lookUp() throws UnknownHostException {
        return Stream.of(InetAddress.getAllByName(host))
                .map(address -> new ServerAddress(host, port, tls, address))
                .toList();
    }

    /** Whether both are the same server, at whichever address of its host. */
    boolean isSameServer(ServerAddress other) {
        return port == other.port && host.equals(other.host);
    }

    /**
     * Opens a socket to the chosen address, with a completed handshake if it has TLS. Blocks.
     *
     * @param context for TLS, which also checks the name of the host
     * @param timeout for the connection, and for each answer of the handshake
     */
    Socket connect(Supplier<SSLContext> context, Duration timeout) throws IOException {
        int millis = (int) Math.max(1, Math.min(timeout.toMillis(), Integer.MAX_VALUE));
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(at, port), millis);
            socket.setTcpNoDelay(true);
            keepAlive(socket);
            return tls ? secured(context.get(), socket, millis) : socket;
        } catch (IOException | RuntimeException failed) {
            socket.close();
            throw failed;
        }
    }

    /** Detects a silent network failure within half a minute, where the system supports it. */
    private static void keepAlive(Socket socket) throws IOException {
        socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        for (SocketOption<?> option : socket.supportedOptions()) {
            if (option.name().equals("TCP_KEEPIDLE")) {
                set(socket, option, 15);
            } else if (option.name().equals("TCP_KEEPINTERVAL")) {
                set(socket, option, 5);
            } else if (option.name().equals("TCP_KEEPCOUNT")) {
                set(socket, option, 3);
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static void set(Socket socket, SocketOption<?> option, int value) throws IOException {
        socket.setOption((SocketOption<Integer>) option, value);
    }

    private Socket secured(SSLContext context, Socket socket, int millis) throws IOException {
        SSLSocket secure = (SSLSocket) context.getSocketFactory().createSocket(socket, host, port, true);
        SSLParameters parameters = secure.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secure.setSSLParameters(parameters);
        secure.setSoTimeout(millis);
        secure.startHandshake();
        secure.setSoTimeout(0);
        return secure;
    }

    /**
     * Reads an address.
     *
     * @throws LeaseConfigException if it is another kind of URI, or has a user, a path or a query
     */
    static ServerAddress of(URI uri) {
        String scheme = String.valueOf(uri.getScheme());
        boolean tls = scheme.equals("flockgates");
        require(tls || scheme.equals("flockgate"), "begins with flockgate:// or flockgates://, like all the others");
        // This check comes before any message that shows the address.
        require(uri.getRawUserInfo() == null, "has no user or password: give the token to ConnectOptions");
        Matcher authority = AUTHORITY.matcher(String.valueOf(uri.getRawAuthority()));
        require(uri.getRawAuthority() != null && authority.matches(), "needs a host, as in flockgate://host:6388");
        boolean bare = uri.getRawPath().isEmpty() && uri.getRawQuery() == null && uri.getRawFragment() == null;
        require(bare, "has nothing behind host and port");
        String number = authority.group(3);
        int port = number == null || number.isEmpty() ? DEFAULT_PORT : Integer.parseInt(number);
        require(port >= 1 && port <= 65_535, "has a port from 1 to 65535, and not " + port);
        String ip = authority.group(1);
        return new ServerAddress(ip != null ? ip : authority.group(2), port, tls, null);
    }

    private static void require(boolean condition, String rule) {
        if (!condition) {
            throw new LeaseConfigException("a server's address " + rule);
        }
    }

    /** Host and port, with the chosen address unless the host is one itself. */
    @Override
    public String toString() {
        String ip = at == null ? host : at.getHostAddress();
        boolean literal = host.indexOf(':') >= 0 || ip.equals(host);
        return authority() + (literal ? "" : " (" + ip + ")");
    }

    private String authority() {
        return host.indexOf(':') >= 0 ? "[" + host + "]:" + port : host + ":" + port;
    }

    /**
     * Another port at the chosen address. With TLS the host stays, because certificates name it.
     */
    String reachedAt(int otherPort) {
        String place = tls || at == null ? host : at.getHostAddress();
        return new ServerAddress(place, otherPort, tls, null).authority();
    }
}
