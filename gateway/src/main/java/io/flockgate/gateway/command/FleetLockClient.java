package io.flockgate.gateway.command;

import io.flockgate.text.Quoting;
import io.flockgate.text.Reason;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.TrustManagerFactory;

/** A client of the operators' routes of FleetLock. Blocks. */
final class FleetLockClient {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int MAX_TOKEN_BYTES = 64 * 1024;
    private static final char DELETE = 0x7f;

    private final URI base;
    private final Optional<String> token;
    private final HttpClient http;

    /**
     * A response of the gateway.
     *
     * @param body empty without one
     */
    record ServerReply(int status, String body) {
        /** The body as a JSON object; an empty one where it is no object. */
        JsonObject json() {
            try {
                return new JsonObject(body);
            } catch (DecodeException e) {
                return new JsonObject();
            }
        }
    }

    private FleetLockClient(URI base, Optional<String> token, HttpClient http) {
        this.base = base;
        this.token = token;
        this.http = http;
    }

    /** @throws CommandException for options that cannot be used */
    static FleetLockClient of(FleetLockArguments arguments) {
        URI base = uri(arguments.setting("url", "FLOCKGATE_URL").orElse("http://127.0.0.1:6389"));
        HttpClient.Builder builder = HttpClient.newBuilder().connectTimeout(PATIENCE);
        arguments
                .setting("ca-file", "FLOCKGATE_CA_FILE")
                .ifPresent(file -> builder.sslContext(trusting(Path.of(file))));
        return new FleetLockClient(base, token(arguments), builder.build());
    }

    private static URI uri(String text) {
        try {
            URI uri = URI.create(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
            String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
            if ((scheme.equals("http") || scheme.equals("https"))
                    && uri.getHost() != null
                    && uri.getRawQuery() == null
                    && uri.getRawUserInfo() == null) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            throw notAUrl();
        }
        throw notAUrl();
    }

    private static CommandException notAUrl() {
        return CommandException.usage("--url must be like http://127.0.0.1:6389");
    }

    /** Refuses what no header can carry. The HTTP client would refuse it too, but show the token. */
    private static Optional<String> token(FleetLockArguments arguments) {
        Optional<String> token = tokenAsGiven(arguments);
        if (token.isPresent() && !token.get().chars().allMatch(c -> c >= ' ' && c < DELETE)) {
            throw CommandException.usage("the token must be one line of ASCII to be sent as Bearer");
        }
        return token;
    }

    private static Optional<String> tokenAsGiven(FleetLockArguments arguments) {
        Optional<String> file = arguments.setting("auth-token-file", "DFLOCKD_AUTH_TOKEN_FILE");
        if (arguments.flag("auth-token").isPresent() || file.isEmpty()) {
            return arguments.setting("auth-token", "DFLOCKD_AUTH_TOKEN");
        }
        try (InputStream in = Files.newInputStream(Path.of(file.get()))) {
            return Optional.of(new String(in.readNBytes(MAX_TOKEN_BYTES), StandardCharsets.UTF_8).strip());
        } catch (IOException e) {
            throw CommandException.usage(
                    "--auth-token-file: cannot read " + Quoting.quoted(file.get()) + ": " + Reason.of(e));
        }
    }

    private static SSLContext trusting(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int number = 0;
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("ca-" + number, certificate);
                number++;
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw CommandException.usage(
                    "--ca-file: cannot read " + Quoting.quoted(file.toString()) + ": " + Reason.of(e));
        }
    }

    /** A text as one segment of a path or query. Dots are escaped too: {@code ..} would name the parent. */
    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace(".", "%2E");
    }

    /** The reason in words, and what to set. */
    private String reason(IOException e) {
        String setUrl = "--url or FLOCKGATE_URL";
        return switch (e) {
            case ConnectException ignored ->
                "connection refused. Is a gateway running there, with --http-port? Otherwise set " + setUrl;
            case HttpTimeoutException ignored -> "no answer in time. Is " + setUrl + " right?";
            case SSLHandshakeException ignored ->
                "its certificate is not trusted, or is not for this host: set --ca-file or FLOCKGATE_CA_FILE";
            case SSLException ignored -> "it does not speak TLS: set " + setUrl + " to http://…";
            default ->
                base.getScheme().equalsIgnoreCase("https")
                        ? Reason.of(e)
                        : "the connection was closed. If the gateway has TLS, set " + setUrl + " to https://…";
        };
    }

    /** @throws CommandException if there is no answer */
    ServerReply ask(String method, String pathAndQuery) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + pathAndQuery))
                .timeout(PATIENCE)
                .method(method, BodyPublishers.noBody());
        try {
            token.ifPresent(secret -> request.header("Authorization", "Bearer " + secret));
            HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
            return new ServerReply(response.statusCode(), response.body());
        } catch (IOException e) {
            throw CommandException.failed("no answer from " + base + ": " + reason(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CommandException.failed("interrupted");
        }
    }
}
