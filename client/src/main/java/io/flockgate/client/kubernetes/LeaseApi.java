package io.flockgate.client.kubernetes;

import io.flockgate.client.LeaseAuthException;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseEnvironment.Ticker;
import io.flockgate.client.http.BoundedBody;
import io.flockgate.consul.json.JsonException;
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
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLHandshakeException;

/**
 * The three requests to the API server about Lease objects of one namespace. The caller's thread waits for the answer. Thread safe.
 *
 * <p>HTTP/1.1: a connection that the network has lost silently delays one request, and is closed with it.
 */
final class LeaseApi {
    /** An object has about 1 KiB. */
    private static final int MAX_ANSWER = 1024 * 1024;

    /** Something between, such as a proxy with a page of its own, proves nothing. */
    private static final String NO_LEASE = "the API server's answer is no lease";

    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration LONGEST_RETRY_AFTER = Duration.ofSeconds(60);

    private final URI leases;
    private final Bearer bearer;
    private final Ticker ticker;
    private final HttpClient client;

    LeaseApi(KubernetesOptions options, Executor executor) {
        this.leases =
                options.server().resolve("/apis/coordination.k8s.io/v1/namespaces/" + options.namespace() + "/leases");
        this.bearer = options.bearer();
        this.ticker = options.environment().ticker();
        this.client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(CONNECT)
                .sslContext(options.sslContext())
                .executor(executor)
                .build();
    }

    /** Reads the object, as it is after all writes that were answered. */
    Answer get(String objectName, long deadline) throws InterruptedException {
        return send("GET", "/" + objectName, new byte[0], deadline);
    }

    /** Makes the object, unless it is there. */
    Answer create(LeaseRecord lease, long deadline) throws InterruptedException {
        Answer answer = send("POST", "", lease.object().toBytes(), deadline);
        if (answer instanceof Answer.Missing) {
            throw new LeaseConfigException("the API server has no such namespace, or no leases: " + leases.getPath());
        }
        return answer;
    }

    /** Replaces the object, if it still has the version of this one. */
    Answer replace(String objectName, LeaseRecord lease, long deadline) throws InterruptedException {
        return send("PUT", "/" + objectName, lease.object().toBytes(), deadline);
    }

    /** A token that is refused may have been replaced while the request was on its way. */
    private Answer send(String method, String path, byte[] body, long deadline) throws InterruptedException {
        String token = bearer.token();
        try {
            return send(method, path, body, token, deadline);
        } catch (LeaseAuthException refused) {
            String newer = bearer.token();
            if (newer.equals(token)) {
                throw refused;
            }
            return send(method, path, body, newer, deadline);
        }
    }

    private Answer send(String method, String path, byte[] body, String token, long deadline)
            throws InterruptedException {
        long left = deadline - ticker.nanos();
        if (left <= 0) {
            return new Answer.Failed("no time is left", false, Duration.ZERO, null);
        }
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(leases + path))
                .header("Accept", "application/json")
                .header("Content-Type", "application/json")
                .method(method, BodyPublishers.ofByteArray(body));
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        CompletableFuture<HttpResponse<byte[]>> exchange =
                client.sendAsync(request.build(), head -> new BoundedBody(MAX_ANSWER));
        try {
            return meaning(exchange.get(left, TimeUnit.NANOSECONDS), method);
        } catch (ExecutionException failed) {
            return failure(failed.getCause() == null ? failed : failed.getCause());
        } catch (TimeoutException late) {
            return new Answer.Failed("no answer of the API server in time", true, Duration.ZERO, null);
        } finally {
            exchange.cancel(true);
        }
    }

    private static Answer meaning(HttpResponse<byte[]> response, String method) {
        int status = response.statusCode();
        if (status == 200 || status == 201) {
            return found(response.body());
        } else if (status == 404) {
            return new Answer.Missing();
        } else if (status == 409) {
            return new Answer.Conflict();
        } else if (status == 401 || status == 403) {
            throw new LeaseAuthException("the API server refuses " + method + " of leases with status " + status
                    + (status == 403 ? ": the role needs get, create and update" : ""));
        } else if (status >= 500 || status == 408 || status == 410 || status == 429) {
            boolean undone = status == 410 || status == 429;
            return new Answer.Failed("the API server answers " + status, !undone, retryAfter(response), null);
        }
        throw new LeaseConfigException("the API server refuses the lease with status " + status);
    }

    private static Answer found(byte[] body) {
        try {
            LeaseRecord lease = new LeaseRecord(JsonReader.readObject(body, MAX_ANSWER));
            if (lease.isComplete()) {
                return new Answer.Found(lease);
            }
            return new Answer.Failed(NO_LEASE, true, Duration.ZERO, null);
        } catch (JsonException unreadable) {
            return new Answer.Failed(NO_LEASE, true, Duration.ZERO, unreadable);
        }
    }

    private static Duration retryAfter(HttpResponse<byte[]> response) {
        String seconds = response.headers().firstValue("Retry-After").orElse("");
        if (!seconds.matches("[0-9]{1,5}")) {
            return Duration.ZERO;
        }
        Duration time = Duration.ofSeconds(Long.parseLong(seconds));
        return time.compareTo(LONGEST_RETRY_AFTER) < 0 ? time : LONGEST_RETRY_AFTER;
    }

    private static Answer failure(Throwable failure) {
        if (isUntrusted(failure)) {
            throw new LeaseConfigException("the API server's certificate is not trusted: " + failure.getMessage());
        }
        boolean unsent = failure instanceof ConnectException
                || failure instanceof HttpConnectTimeoutException
                || failure instanceof UnresolvedAddressException
                || failure instanceof UnknownHostException
                || failure instanceof SSLHandshakeException;
        String what = unsent ? "the API server cannot be reached" : "no answer of the API server";
        return new Answer.Failed(what + ": " + failure.getClass().getSimpleName(), !unsent, Duration.ZERO, failure);
    }

    /** A certificate of another authority, or for another name. Another attempt would end the same way. */
    private static boolean isUntrusted(Throwable failure) {
        Throwable cause = failure instanceof SSLHandshakeException ? failure.getCause() : null;
        while (cause != null && !(cause instanceof CertificateException)) {
            cause = cause.getCause();
        }
        return cause != null;
    }
}
