package io.flockgate.cli.health;

import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.InstalledGateway.Listeners;
import io.flockgate.cli.shared.RestClient;
import io.flockgate.cli.shared.RestClient.ServerReply;
import io.flockgate.text.Reason;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * One request to a gateway on this host. It accepts any certificate: it sends no secret and trusts
 * nothing in the answer but "I work", and must not report a gateway as unhealthy because its
 * certificate has just been replaced, or names only the hosts by which other machines know it.
 */
final class HealthProbe implements X509TrustManager {
    /** Docker's usual limit is 3 s, part of which Java needs to start. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private static final int OK = 200;

    private final URI address;
    private final boolean handshakeIsEnough;
    private volatile boolean certificateSeen;

    /**
     * @throws CommandException if the gateway cannot be probed
     */
    HealthProbe(Listeners gateway, boolean ready) {
        if (gateway.httpPort() == 0) {
            throw CommandException.failed("the gateway has no REST API to ask: it needs --http-port");
        }
        String scheme = gateway.tls() ? "https://" : "http://";
        String path = ready ? "/ready" : "/health";
        this.address = URI.create(scheme + local(gateway.httpHost()) + ":" + gateway.httpPort() + path);
        this.handshakeIsEnough = gateway.forCertificates() && !ready;
    }

    /** The host by which a client on this host reaches a port that listens on this address. */
    private static String local(String host) {
        return switch (host) {
            case "", "0.0.0.0" -> "127.0.0.1";
            case "::" -> "[::1]";
            default -> host.contains(":") ? "[" + host + "]" : host;
        };
    }

    /**
     * Sends the request, and returns the result for the operator.
     *
     * @throws CommandException if the answer is missing or bad
     */
    String ask() {
        try {
            return answer();
        } catch (SocketTimeoutException e) {
            throw CommandException.failed(address + " does not answer");
        } catch (IOException e) {
            // The gateway presented its certificate, and then rejected us for having none.
            if (handshakeIsEnough && certificateSeen) {
                return address + " speaks TLS and asks for a certificate";
            }
            String fault = e instanceof SSLException ? " does not speak TLS as it should: " : " does not answer: ";
            throw CommandException.failed(address + fault + Reason.of(e));
        }
    }

    private String answer() throws IOException {
        HttpURLConnection request = RestClient.connection(address, PATIENCE);
        if (request instanceof HttpsURLConnection secure) {
            secure.setSSLSocketFactory(trustingAny().getSocketFactory());
            secure.setHostnameVerifier((host, session) -> true);
        }
        ServerReply reply = RestClient.reply(request);
        String answered = address + " answers " + reply.status() + " " + request.getResponseMessage();
        if (reply.status() == OK) {
            return answered;
        }
        String reason = reply.body().lines().findFirst().orElse("");
        throw CommandException.failed(answered + (reason.isEmpty() ? "" : ": " + reason));
    }

    private SSLContext trustingAny() throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {this}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) {
        certificateSeen = true;
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
