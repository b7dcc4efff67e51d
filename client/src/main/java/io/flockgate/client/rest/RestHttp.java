package io.flockgate.client.rest;

import io.flockgate.client.http.BoundedBody;
import io.flockgate.client.http.Reasons;
import io.flockgate.client.rest.RestException.Kind;
import io.flockgate.consul.json.JsonException;
import io.flockgate.consul.json.JsonObject;
import io.flockgate.consul.json.JsonReader;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/** Requests to gateways. Follows no redirects: the token is for the gateway alone. Callers' threads wait for the answers. Thread safe. */
final class RestHttp {
    private static final int MAX_ANSWER = 64 * 1024;
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final long MAX_RETRY_AFTER = 60;

    private final HttpClient client;
    private final @Nullable String token;

    RestHttp(RestSettings settings) {
        this.token = settings.authToken();
        this.client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .proxy(HttpClient.Builder.NO_PROXY)
                .connectTimeout(CONNECT)
                .sslContext(settings.sslContext())
                .executor(settings.executor())
                .build();
    }

    /**
     * An answer.
     *
     * @param body empty where it is no JSON object
     * @param retryAfter the time to wait before another request; zero if the server does not say
     */
    record Answer(int status, JsonObject body, Duration retryAfter) {
        /** The code of an error; empty without one. */
        String code() {
            return text("error");
        }

        /** The status with the server's words. */
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

    /** A request. An empty session or body is left out. */
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
        if (nanos <= 0) {
            throw new RestException(Kind.LATER, false, "no time is left to ask the server", null);
        }
        CompletableFuture<HttpResponse<byte[]>> exchange =
                client.sendAsync(built(request), head -> new BoundedBody(MAX_ANSWER));
        try {
            Object unused = CompletableFuture.anyOf(exchange, stop).get(nanos, TimeUnit.NANOSECONDS);
            if (exchange.isDone()) {
                return answer(exchange.get());
            }
            throw new RestException(Kind.GIVEN_UP, true, "the request was given up", null);
        } catch (ExecutionException failed) {
            throw failure(request.uri(), failed.getCause() == null ? failed : failed.getCause());
        } catch (TimeoutException late) {
            throw new RestException(
                    Kind.ELSEWHERE, true, "no answer from " + request.uri().getAuthority() + " in time", null);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new RestException(Kind.GIVEN_UP, true, "interrupted while waiting for an answer", null);
        } finally {
            // The end of the connection tells the server that nobody waits.
            exchange.cancel(true);
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

    private static Answer answer(HttpResponse<byte[]> response) {
        Duration pause = response.headers()
                .firstValue("Retry-After")
                .filter(text -> text.matches("\\d{1,9}"))
                .map(text -> Duration.ofSeconds(Math.min(Long.parseLong(text), MAX_RETRY_AFTER)))
                .orElse(Duration.ZERO);
        try {
            return new Answer(response.statusCode(), JsonReader.readObject(response.body(), MAX_ANSWER), pause);
        } catch (JsonException other) {
            return new Answer(response.statusCode(), JsonObject.EMPTY, pause);
        }
    }

    private static RestException failure(URI uri, Throwable failure) {
        boolean unsent = failure instanceof ConnectException
                || failure instanceof HttpConnectTimeoutException
                || failure instanceof UnresolvedAddressException
                || failure instanceof UnknownHostException
                || failure instanceof SSLHandshakeException;
        String where = uri.getScheme() + "://" + uri.getAuthority();
        String what = unsent ? "the server cannot be reached at " : "no answer from ";
        return new RestException(Kind.ELSEWHERE, !unsent, what + where + ": " + Reasons.of(failure), failure);
    }

    /** Ends all connections, where the JVM can; before Java 21 they end when nobody uses this object any more. */
    void close() {
        try {
            Object unused = HttpClient.class.getMethod("shutdownNow").invoke(client);
        } catch (ReflectiveOperationException olderJava) {
            // The connections end with the client.
        }
    }
}
