package io.flockgate.client.http;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests over HTTP/1.1 for back ends of leases. Follows no redirects, because a token is
 * meant for one server only. The caller's thread waits for the answer. A connection that the
 * network has silently dropped delays one request, and is closed with it. Thread safe.
 */
public final class HttpCaller {
    private static final Duration LONGEST_RETRY_AFTER = Duration.ofSeconds(60);

    private final int maxAnswer;
    private volatile @Nullable HttpClient client;

    /**
     * Opens no connection yet.
     *
     * @param direct whether requests bypass the JVM's proxies
     * @param maxAnswer the largest body of an answer, in bytes
     */
    public HttpCaller(SSLContext tls, Executor executor, Duration connectTimeout, boolean direct, int maxAnswer) {
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(connectTimeout)
                .sslContext(tls)
                .executor(executor);
        this.client = (direct ? builder.proxy(HttpClient.Builder.NO_PROXY) : builder).build();
        this.maxAnswer = maxAnswer;
    }

    /**
     * Sends a request and waits for its answer.
     *
     * @param nanos the longest wait
     * @param stop ends the wait early when it completes
     * @throws HttpFailure without an answer
     */
    public HttpResponse<byte[]> send(HttpRequest request, long nanos, CompletableFuture<?> stop)
            throws HttpFailure, InterruptedException {
        HttpClient open = client;
        if (nanos <= 0 || open == null) {
            throw new HttpFailure(HttpFailure.Kind.NO_TIME, null);
        }
        CompletableFuture<HttpResponse<byte[]>> exchange = open.sendAsync(request, head -> new BoundedBody(maxAnswer));
        try {
            Object unused = CompletableFuture.anyOf(exchange, stop).get(nanos, TimeUnit.NANOSECONDS);
            if (exchange.isDone()) {
                return exchange.get();
            }
            throw new HttpFailure(HttpFailure.Kind.STOPPED, null);
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause() == null ? failed : failed.getCause();
            throw new HttpFailure(isUnsent(cause) ? HttpFailure.Kind.UNREACHED : HttpFailure.Kind.BROKEN, cause);
        } catch (TimeoutException late) {
            throw new HttpFailure(HttpFailure.Kind.LATE, null);
        } finally {
            // Closing the connection signals to the server that no caller is waiting.
            exchange.cancel(true);
        }
    }

    private static boolean isUnsent(Throwable failure) {
        return failure instanceof ConnectException
                || failure instanceof HttpConnectTimeoutException
                || failure instanceof UnresolvedAddressException
                || failure instanceof UnknownHostException
                || failure instanceof SSLHandshakeException;
    }

    /**
     * The time to wait before another request, as requested by the server, at most a minute; zero
     * if the server requests none.
     */
    public static Duration retryAfter(HttpResponse<?> response) {
        return response.headers()
                .firstValue("Retry-After")
                .filter(text -> text.matches("[0-9]{1,9}"))
                .map(text -> Duration.ofSeconds(Long.parseLong(text)))
                .map(time -> time.compareTo(LONGEST_RETRY_AFTER) < 0 ? time : LONGEST_RETRY_AFTER)
                .orElse(Duration.ZERO);
    }

    /**
     * Ends all connections, where the JVM can. Before Java 21 they end soon, because nothing refers
     * to their client any longer.
     */
    public void close() {
        HttpClient last = client;
        client = null;
        if (last != null) {
            try {
                Object unused = HttpClient.class.getMethod("shutdownNow").invoke(last);
            } catch (ReflectiveOperationException olderJava) {
                // The connections end with the client.
            }
        }
    }
}
