package io.flockgate.gateway.command;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
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
import javax.net.ssl.TrustManagerFactory;

/** Asks a gateway about FleetLock's groups. Blocks. */
final class FleetLockClient {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int MOST_TOKEN_BYTES = 64 * 1024;
    private static final char DELETE = 0x7f;

    private final URI base;
    private final Optional<String> token;
    private final HttpClient http;

    /**
     * What the gateway has answered.
     *
     * @param body empty without one
     */
    record Reply(int status, String body) {
        /** The body as an object; an empty one if it is none. */
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

    /** @throws CommandException for settings that cannot be used */
    static FleetLockClient of(FleetLockArguments words) {
        URI base = uri(words.setting("url", "FLOCKGATE_URL").orElse("http://127.0.0.1:6389"));
        HttpClient.Builder builder = HttpClient.newBuilder().connectTimeout(PATIENCE);
        words.setting("ca-file", "FLOCKGATE_CA_FILE").ifPresent(file -> builder.sslContext(trusting(Path.of(file))));
        return new FleetLockClient(base, token(words), builder.build());
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

    /** The HTTP client would refuse other characters, and say the token when it does. */
    private static Optional<String> token(FleetLockArguments words) {
        Optional<String> token = tokenAsGiven(words);
        if (token.isPresent() && !token.get().chars().allMatch(c -> c >= ' ' && c < DELETE)) {
            throw CommandException.usage("the token must be one line of ASCII to be sent as Bearer");
        }
        return token;
    }

    private static Optional<String> tokenAsGiven(FleetLockArguments words) {
        Optional<String> file = words.setting("auth-token-file", "DFLOCKD_AUTH_TOKEN_FILE");
        if (words.flag("auth-token").isPresent() || file.isEmpty()) {
            return words.setting("auth-token", "DFLOCKD_AUTH_TOKEN");
        }
        try (InputStream in = Files.newInputStream(Path.of(file.get()))) {
            return Optional.of(new String(in.readNBytes(MOST_TOKEN_BYTES), StandardCharsets.UTF_8).strip());
        } catch (IOException e) {
            throw CommandException.usage("--auth-token-file cannot be read: " + e.getMessage());
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
            throw CommandException.usage("--ca-file cannot be read: " + e.getMessage());
        }
    }

    /** Any text as one part of a path or query. Dots as they are could mean the place above. */
    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace(".", "%2E");
    }

    /** @throws CommandException if there is no answer */
    Reply ask(String method, String pathAndQuery) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + pathAndQuery))
                .timeout(PATIENCE)
                .method(method, BodyPublishers.noBody());
        try {
            token.ifPresent(secret -> request.header("Authorization", "Bearer " + secret));
            HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
            return new Reply(response.statusCode(), response.body());
        } catch (IOException e) {
            throw CommandException.failed("no answer from " + base + ": " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CommandException.failed("interrupted");
        }
    }
}
