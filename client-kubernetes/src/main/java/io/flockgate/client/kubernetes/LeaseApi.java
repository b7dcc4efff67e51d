package io.flockgate.client.kubernetes;

import io.flockgate.client.LeaseAuthException;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseEnvironment.Ticker;
import io.flockgate.client.http.HttpCaller;
import io.flockgate.client.http.HttpFailure;
import io.flockgate.client.http.Reasons;
import io.flockgate.client.json.JsonException;
import io.flockgate.client.json.JsonReader;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLHandshakeException;

/**
 * The three requests to the API server about Lease objects of one namespace. The caller's thread
 * waits for the answer. Thread safe.
 */
final class LeaseApi {
    /** An object usually has about 1 KiB. */
    private static final int MAX_ANSWER = 1024 * 1024;

    /** An intermediary, such as a proxy with its own page, proves nothing. */
    private static final String NO_LEASE = " answers with something that is no lease";

    private static final Duration CONNECT = Duration.ofSeconds(5);

    private final URI leases;
    private final String server;
    private final Bearer bearer;
    private final Ticker ticker;
    private final HttpCaller caller;

    LeaseApi(KubernetesOptions options, Executor executor) {
        this.leases =
                options.server().resolve("/apis/coordination.k8s.io/v1/namespaces/" + options.namespace() + "/leases");
        this.server = "the API server at " + options.server().getAuthority();
        this.bearer = options.bearer();
        this.ticker = options.environment().ticker();
        this.caller = new HttpCaller(options.sslContext(), executor, CONNECT, false, MAX_ANSWER);
    }

    /** Reads the object as it is after all answered writes. */
    Answer get(String objectName, long deadline) throws InterruptedException {
        return send("GET", "/" + objectName, new byte[0], deadline);
    }

    /** Creates the object unless it exists. */
    Answer create(LeaseRecord lease, long deadline) throws InterruptedException {
        Answer answer = send("POST", "", lease.object().toBytes(), deadline);
        if (answer instanceof Answer.Missing) {
            throw new LeaseConfigException(server + " has no such namespace, or no leases: " + leases.getPath());
        }
        return answer;
    }

    /** Replaces the object, if it still has the version of this one. */
    Answer replace(String objectName, LeaseRecord lease, long deadline) throws InterruptedException {
        return send("PUT", "/" + objectName, lease.object().toBytes(), deadline);
    }

    /**
     * Sends a request. A token that is refused may have been replaced while the request was in
     * transit.
     */
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
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(leases + path))
                .header("Accept", "application/json")
                .header("Content-Type", "application/json")
                .method(method, BodyPublishers.ofByteArray(body));
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        try {
            return meaning(caller.send(request.build(), deadline - ticker.nanos(), new CompletableFuture<>()), method);
        } catch (HttpFailure failed) {
            return failure(failed);
        }
    }

    private Answer meaning(HttpResponse<byte[]> response, String method) {
        int status = response.statusCode();
        if (status == 200 || status == 201) {
            return found(response.body());
        } else if (status == 404) {
            return new Answer.Missing();
        } else if (status == 409) {
            return new Answer.Conflict();
        } else if (status == 401 || status == 403) {
            throw new LeaseAuthException(server + " refuses " + method + " of leases with status " + status
                    + (status == 403 ? ": the role needs get, create and update" : ""));
        } else if (status >= 500 || status == 408 || status == 410 || status == 429) {
            boolean undone = status == 410 || status == 429;
            return new Answer.Failed(server + " answers " + status, !undone, HttpCaller.retryAfter(response), null);
        }
        throw new LeaseConfigException(server + " refuses the lease with status " + status);
    }

    private Answer found(byte[] body) {
        try {
            LeaseRecord lease = new LeaseRecord(JsonReader.readObject(body, MAX_ANSWER));
            if (lease.isComplete()) {
                return new Answer.Found(lease);
            }
            return new Answer.Failed(server + NO_LEASE, true, Duration.ZERO, null);
        } catch (JsonException unreadable) {
            return new Answer.Failed(server + NO_LEASE, true, Duration.ZERO, unreadable);
        }
    }

    private Answer failure(HttpFailure failed) {
        Throwable reason = failed.reason();
        if (isUntrusted(reason)) {
            throw new LeaseConfigException("the certificate of " + server + " is not trusted: " + Reasons.of(reason));
        }
        String what = switch (failed.kind()) {
            case NO_TIME -> "no time is left to ask " + server;
            case LATE, STOPPED -> "no answer of " + server + " in time";
            case UNREACHED -> server + " cannot be reached: " + Reasons.of(reason);
            case BROKEN -> "no answer of " + server + ": " + Reasons.of(reason);
        };
        return new Answer.Failed(what, failed.maybeSent(), Duration.ZERO, failed.getCause());
    }

    /**
     * True for a certificate of another authority, or for another name. Another attempt would fail
     * in the same way.
     */
    private static boolean isUntrusted(Throwable failure) {
        Throwable cause = failure instanceof SSLHandshakeException ? failure.getCause() : null;
        while (cause != null && !(cause instanceof CertificateException)) {
            cause = cause.getCause();
        }
        return cause != null;
    }

    /** Ends all connections. */
    void close() {
        caller.close();
    }
}
