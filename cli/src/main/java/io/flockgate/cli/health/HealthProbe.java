package io.flockgate.cli.health;

import io.flockgate.cli.shared.InstalledGateway.Listeners;
import io.flockgate.text.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;

/**
 * One request to a gateway on this host: over HTTP if it has an HTTP port, otherwise over the line
 * protocol.
 *
 * @param host where to connect
 * @param path the path to request; empty for the line protocol
 * @param tls whether the port speaks TLS
 * @param forCertificates whether only clients with a certificate are served, and this one has none
 */
record HealthProbe(String host, int port, String path, boolean tls, boolean forCertificates) {
    /** Docker's usual limit is 3 s, part of which Java needs to start. */
    private static final int PATIENCE_MILLIS = 2_000;

    private static final int MAX_ANSWER_BYTES = 4_096;
    private static final String READY = "/ready";
    private static final String PING = "ping\n_\n_\n";

    /**
     * @throws UnhealthyException if the gateway cannot be probed
     */
    static HealthProbe of(Listeners gateway, boolean ready) {
        boolean tls = gateway.tls();
        boolean forCertificates = gateway.forCertificates();
        if (gateway.httpPort() != 0) {
            String path = ready ? READY : "/health";
            return new HealthProbe(local(gateway.httpHost()), gateway.httpPort(), path, tls, forCertificates);
        }
        if (ready) {
            throw new UnhealthyException("--ready needs --http-port");
        }
        if (gateway.port() == 0) {
            throw new UnhealthyException("--port 0 does not say which port the gateway has");
        }
        return new HealthProbe(local(gateway.host()), gateway.port(), "", tls, forCertificates);
    }

    /** The address at which a client on this host reaches a port that listens on this address. */
    private static String local(String host) {
        return switch (host) {
            case "", "0.0.0.0" -> "127.0.0.1";
            case "::" -> "::1";
            default -> host;
        };
    }

    /**
     * Sends the request, and returns the result for the operator.
     *
     * @throws UnhealthyException if the answer is missing or bad
     */
    String ask() {
        try (Socket plain = new Socket()) {
            plain.connect(address(), PATIENCE_MILLIS);
            plain.setSoTimeout(PATIENCE_MILLIS);
            return tls ? overTls(plain) : answer(plain);
        } catch (SocketTimeoutException e) {
            throw new UnhealthyException(name() + " does not answer");
        } catch (SSLException e) {
            throw new UnhealthyException(name() + " does not speak TLS as it should: " + Reason.of(e));
        } catch (IOException e) {
            throw new UnhealthyException(name() + " does not answer: " + Reason.of(e));
        }
    }

    private InetSocketAddress address() throws UnknownHostException {
        return new InetSocketAddress(InetAddress.getByName(host), port);
    }

    private String overTls(Socket plain) throws IOException {
        AnyCertificate trust = new AnyCertificate();
        try (SSLSocket secure = trust.connect(plain, host, port)) {
            secure.startHandshake();
            return answer(secure);
        } catch (IOException e) {
            // The gateway presented its certificate, and then rejected us for having none.
            if (forCertificates && trust.hasSeenOne() && !path.equals(READY)) {
                return name() + " speaks TLS and asks for a certificate";
            }
            throw e;
        }
    }

    private String answer(Socket socket) throws IOException {
        String request = path.isEmpty() ? PING : "GET " + path + " HTTP/1.0\r\nHost: localhost\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
        return path.isEmpty() ? pong(socket.getInputStream()) : http(socket.getInputStream());
    }

    /** Accepts {@code ok} and {@code error_auth}: a gateway that requires a token works, too. */
    private String pong(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        int next = in.read();
        while (next >= 0 && next != '\n' && line.length() < MAX_ANSWER_BYTES) {
            line.append((char) next);
            next = in.read();
        }
        if (!line.toString().equals("ok") && !line.toString().equals("error_auth")) {
            throw new UnhealthyException(name() + " is no gateway's line protocol");
        }
        return name() + " answers";
    }

    private String http(InputStream in) throws IOException {
        String text = new String(in.readNBytes(MAX_ANSWER_BYTES), StandardCharsets.UTF_8);
        if (!text.startsWith("HTTP/1.")) {
            throw new UnhealthyException(name() + " does not speak HTTP");
        }
        String status = text.lines().findFirst().orElse("").replaceFirst("^\\S+ ", "");
        if (!status.startsWith("200")) {
            int body = text.indexOf("\r\n\r\n");
            String reason =
                    body < 0 ? "" : text.substring(body + 4).lines().findFirst().orElse("");
            throw new UnhealthyException(name() + " answers " + status + (reason.isEmpty() ? "" : ": " + reason));
        }
        return name() + " answers " + status;
    }

    private String name() {
        String shown = host.contains(":") ? "[" + host + "]" : host;
        String scheme = path.isEmpty() ? (tls ? "flockgates" : "flockgate") : (tls ? "https" : "http");
        return scheme + "://" + shown + ":" + port + path;
    }
}
