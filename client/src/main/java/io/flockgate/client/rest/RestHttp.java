package io.flockgate.client.rest;

import io.flockgate.client.concurrent.Seconds;
import io.flockgate.client.http.DefaultTrust;
import io.flockgate.client.http.HttpCaller;
import io.flockgate.client.http.HttpFailure;
import io.flockgate.client.json.JsonException;
import io.flockgate.client.json.JsonObject;
import io.flockgate.client.json.JsonReader;
import io.flockgate.client.rest.RestException.Kind;
import io.flockgate.client.support.ServerSettings;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to gateways. Follows no redirects, because the token is meant for the gateway
 * only. Callers' threads wait for the answers. Thread safe.
 */
final class RestHttp {
    private static final int MAX_ANSWER = 64 * 1024;
    private static final Duration CONNECT = Duration.ofSeconds(5);

    private final HttpCaller caller;
    private final Executor threads;
    private final @Nullable String token;

    RestHttp(ServerSettings<RestAddress> settings, Executor threads) {
        this.threads = threads;
        this.token = settings.connection().authToken();
        boolean tls = settings.servers().get(0).tls();
        SSLContext context = tls ? settings.connection().sslContext().get() : DefaultTrust.none();
        this.caller = new HttpCaller(context, threads, CONNECT, true, MAX_ANSWER);
    }

    /**
     * An answer.
     *
     * @param server the address that answered
     * @param body empty if it is not a JSON object
     * @param retryAfter the time to wait before another request; zero if the server requests none
     */
    record Answer(String server, int status, JsonObject body, Duration retryAfter) {
        /** The code of an error; empty without one. */
        String code() {
            return text("error");
        }

        /** The status with the server's message. */
        String words() {
            String detail = text("detail");
            return status + (code().isEmpty() ? "" : " " + code()) + (detail.isEmpty() ? "" : ": " + detail);
        }

        private String text(String name) {
            try {
                String text = body.string(name);
                return text == null ? "" : text.substring(0, Math.min(text.length(), 300));
            } catch (JsonException other) {
                return "";
            }
        }
    }

    /** A request. An empty session or body is omitted. */
    record Request(String method, URI uri, String session, String body) {
        /** The id of a session is a secret, and so is a token in a body. */
        @Override
        public String toString() {
            return method + " " + uri.getAuthority();
        }
    }

    /**
     * Sends a request and waits for its answer.
     *
     * @param nanos the longest wait
     * @param stop ends the wait early when it completes
     * @throws RestException without an answer
     */
    Answer send(Request request, long nanos, CompletableFuture<?> stop) throws RestException {
        try {
            return answer(server(request.uri()), caller.send(built(request), nanos, stop));
        } catch (HttpFailure failed) {
            throw failure(request.uri(), failed, nanos);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new RestException(
                    Kind.GIVEN_UP, true, "interrupted while waiting for an answer of " + server(request.uri()), null);
        }
    }

    private HttpRequest built(Request request) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(request.uri())
                .method(
                        request.method(),
                        request.body().isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(request.body()));
        if (token != null) {
            builder.header("Authorization", "Bearer " + token);
        }
        if (!request.session().isEmpty()) {
            builder.header("X-Dflockd-Session", request.session());
        }
        return builder.build();
    }

    /** The server's configured address, in which {@link RestAddress} allows no {@code /v1}. */
    private static String server(URI uri) {
        String text = uri.toString();
        return text.substring(0, text.indexOf("/v1/"));
    }

    private static Answer answer(String server, HttpResponse<byte[]> response) {
        Duration pause = HttpCaller.retryAfter(response);
        try {
            return new Answer(server, response.statusCode(), JsonReader.readObject(response.body(), MAX_ANSWER), pause);
        } catch (JsonException other) {
            return new Answer(server, response.statusCode(), JsonObject.EMPTY, pause);
        }
    }

    private static RestException failure(URI uri, HttpFailure failed, long nanos) {
        String server = server(uri);
        String why = server + ": " + failed.getMessage();
        return switch (failed.kind()) {
            case NO_TIME -> new RestException(Kind.LATER, false, "no time is left to ask " + server, null);
            case STOPPED -> new RestException(Kind.GIVEN_UP, true, "the request to " + server + " was given up", null);
            case LATE ->
                new RestException(
                        Kind.ELSEWHERE,
                        true,
                        "no answer from " + server + " " + Seconds.within(Duration.ofNanos(nanos)),
                        null);
            case UNREACHED ->
                new RestException(Kind.ELSEWHERE, false, "the server cannot be reached at " + why, failed.getCause());
            case BROKEN -> new RestException(Kind.ELSEWHERE, true, "no answer from " + why, failed.getCause());
        };
    }

    /** Threads that may wait for answers. */
    Executor threads() {
        return threads;
    }

    /** Ends all connections. */
    void close() {
        caller.close();
    }
}
