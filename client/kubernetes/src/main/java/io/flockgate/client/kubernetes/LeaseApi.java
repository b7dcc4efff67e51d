package io.flockgate.client.kubernetes;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.flockgate.client.LeaseAuthException;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseEnvironment.Timers;
import io.flockgate.client.LeaseRefusedException;
import io.flockgate.client.support.HostAddresses;
import io.flockgate.client.support.Reasons;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * The three requests to the API server about Lease objects of one namespace, over HTTP/1.1 and at
 * most {@value #MAX_CONNECTIONS} connections, of which claims leave some to renewals and releases.
 * Follows no redirects, because the token is meant for one server only. The caller's thread waits
 * for a connection and for the answer. A connection that the network has silently dropped delays
 * one request, and is closed with it. Thread safe.
 */
final class LeaseApi {
    /** An object usually has about 1 KiB. */
    private static final int MAX_ANSWER = 1024 * 1024;

    /** An intermediary, such as a proxy with its own page, proves nothing. */
    private static final String NO_LEASE = " answers with something that is no lease";

    private static final int MAX_CONNECTIONS = 16;

    /** Connections that claims leave to renewals and releases. */
    private static final int KEPT_FOR_GRANTS = 4;

    /** Characters of the server's own reason. */
    private static final int MAX_REASON = 300;

    private static final String AGENT = "flockgate-client/" + version();

    /** For one address of the server's name; another may answer. */
    private static final Duration CONNECT = Duration.ofSeconds(2);

    private static final Duration LONGEST_RETRY_AFTER = Duration.ofSeconds(60);

    private static final ObjectReader JSON = JsonMapper.builder()
            .enable(
                    DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY,
                    DeserializationFeature.FAIL_ON_TRAILING_TOKENS,
                    DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build()
            .reader();

    private final URI named;

    /** For messages. */
    private final String server;

    private final KubernetesOptions options;
    private final Timers timers;
    private final Semaphore connections = new Semaphore(MAX_CONNECTIONS, true);
    private final Semaphore claims = new Semaphore(MAX_CONNECTIONS - KEPT_FOR_GRANTS, true);
    private volatile boolean served;
    private volatile @Nullable HttpClient client;

    /** At the server's name, or at one of its addresses after the first could not be reached. */
    private volatile URI leases;

    private static String version() {
        ModuleDescriptor module = LeaseApi.class.getModule().getDescriptor();
        String ofJar = LeaseApi.class.getPackage().getImplementationVersion();
        return module != null ? module.rawVersion().orElse("unknown") : ofJar != null ? ofJar : "unknown";
    }

    /** Opens no connection yet. */
    LeaseApi(KubernetesOptions options, Executor executor) {
        String base = options.server().toString().replaceFirst("/+$", "");
        String namespace = options.namespace();
        this.named = URI.create(base + "/apis/coordination.k8s.io/v1/namespaces/" + namespace + "/leases");
        this.leases = named;
        this.server = "the API server at " + options.server().getAuthority() + " (namespace " + namespace + ")";
        this.options = options;
        this.timers = options.connection().environment().timers();
        SSLContext tls = new CurrentContext(options.sslContext());
        this.client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(CONNECT)
                .sslContext(tls)
                .sslParameters(naming(named.getHost(), tls))
                .executor(executor)
                .build();
    }

    /** Certificates are checked against the name of the server, even at one of its addresses. */
    private static SSLParameters naming(String host, SSLContext tls) {
        SSLParameters parameters = tls.getDefaultSSLParameters();
        boolean isName = !host.matches("[0-9.]+|\\[.*|.*\\.");
        if (isName) {
            parameters.setServerNames(List.of(new SNIHostName(host)));
        }
        return parameters;
    }

    /**
     * A request.
     *
     * @param deadline the end of the wait for its answer
     * @param claim whether it must leave some connections to renewals and releases
     */
    private record ApiCall(String method, String path, String body, long deadline, boolean claim) {}

    /** Reads the object as it is after all answered writes. */
    ApiAnswer get(String objectName, long deadline, boolean claim) throws InterruptedException {
        return send(new ApiCall("GET", "/" + objectName, "", deadline, claim));
    }

    /** Creates the object unless it exists. */
    ApiAnswer create(LeaseRecord lease, long deadline) throws InterruptedException {
        ApiAnswer answer = send(new ApiCall("POST", "", lease.json(), deadline, true));
        if (answer instanceof ApiAnswer.Missing) {
            throw new LeaseConfigException(server + " has no such namespace, or no leases in it");
        }
        return answer;
    }

    /** Replaces the object, if it still has the version of this one. */
    ApiAnswer replace(String objectName, LeaseRecord lease, long deadline, boolean claim) throws InterruptedException {
        return send(new ApiCall("PUT", "/" + objectName, lease.json(), deadline, claim));
    }

    /**
     * Sends a request. A token that is refused may have been replaced while the request was in
     * transit.
     */
    private ApiAnswer send(ApiCall call) throws InterruptedException {
        String token = options.token();
        try {
            return send(call, token);
        } catch (LeaseAuthException refused) {
            String newer = options.token();
            if (newer.equals(token)) {
                throw refused;
            }
            return send(call, newer);
        }
    }

    /**
     * Sends a request to the server's name, then to the other addresses of that name, because the
     * JDK's client tries only the first.
     */
    private ApiAnswer send(ApiCall call, String token) throws InterruptedException {
        ApiAnswer answer = sendTo(leases, call, token);
        if (!isUnreached(answer)) {
            return answer;
        }
        List<URI> others = otherAddresses();
        for (URI other : others) {
            ApiAnswer there = sendTo(other, call, token);
            if (!isUnreached(there)) {
                leases = other;
                return there;
            }
        }
        String tried = others.stream().map(URI::getHost).collect(Collectors.joining(", "));
        return others.isEmpty() ? answer : failed(server + " cannot be reached at any of " + tried, false, null);
    }

    private static boolean isUnreached(ApiAnswer answer) {
        return answer instanceof ApiAnswer.Failed failed && failed.cause() != null && isUnsent(failed.cause());
    }

    private List<URI> otherAddresses() {
        leases = named;
        List<URI> all = HostAddresses.of(named);
        return all.size() == 1 ? List.of() : all;
    }

    private ApiAnswer sendTo(URI base, ApiCall call, String token) throws InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + call.path()))
                .header("Accept", "application/json")
                .header("User-Agent", AGENT)
                .header("Content-Type", "application/json")
                .method(call.method(), BodyPublishers.ofString(call.body(), StandardCharsets.UTF_8));
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        boolean mine = !call.claim() || claims.tryAcquire(left(call), TimeUnit.NANOSECONDS);
        try {
            return mine ? overFreeConnection(request.build(), call) : noTime();
        } finally {
            if (mine && call.claim()) {
                claims.release();
            }
        }
    }

    private long left(ApiCall call) {
        return call.deadline() - timers.nanos();
    }

    private ApiAnswer noTime() {
        return failed("no time is left to ask " + server, false, null);
    }

    private ApiAnswer overFreeConnection(HttpRequest request, ApiCall call) throws InterruptedException {
        if (!connections.tryAcquire(left(call), TimeUnit.NANOSECONDS)) {
            return noTime();
        }
        try {
            return exchange(request, left(call));
        } finally {
            connections.release();
        }
    }

    private ApiAnswer exchange(HttpRequest request, long nanos) throws InterruptedException {
        HttpClient open = client;
        if (nanos <= 0 || open == null) {
            return noTime();
        }
        CompletableFuture<HttpResponse<byte[]>> exchange = open.sendAsync(request, head -> new BoundedBody(MAX_ANSWER));
        try {
            return meaning(exchange.get(nanos, TimeUnit.NANOSECONDS), request.method());
        } catch (ExecutionException failed) {
            return failure(failed.getCause() == null ? failed : failed.getCause());
        } catch (TimeoutException late) {
            return failed("no answer of " + server + " in time", true, null);
        } finally {
            // Closing the connection signals to the server that no caller is waiting.
            exchange.cancel(true);
        }
    }

    private ApiAnswer meaning(HttpResponse<byte[]> response, String method) {
        int status = response.statusCode();
        served |= status < 400 || status == 404 || status == 409;
        if (status == 200 || status == 201) {
            return found(response.body());
        } else if (status == 404) {
            return new ApiAnswer.Missing();
        } else if (status == 409) {
            return new ApiAnswer.Conflict();
        }
        String reason = reason(response.body());
        String answers = server + " answers " + method + " of leases with status " + status
                + (reason.isEmpty() ? "" : ": " + reason);
        if (status >= 500 || status == 408 || status == 410 || status == 429) {
            boolean undone = status == 410 || status == 429;
            return new ApiAnswer.Failed(answers, !undone, retryAfter(response), null);
        } else if (reason.contains("exceeded quota")) {
            throw new LeaseRefusedException(answers);
        } else if (status == 401) {
            throw new LeaseAuthException(answers);
        } else if (status == 403 && (reason.isEmpty() || reason.contains(" cannot "))) {
            throw new LeaseAuthException(answers + ". The role needs get, create and update of leases");
        }
        throw new LeaseConfigException(answers);
    }

    /** True after an answer that only a client with rights gets. */
    boolean hasServed() {
        return served;
    }

    /** The message of a Status object, cut and on one line; empty without one. */
    private static String reason(byte[] body) {
        try {
            String message = JSON.readTree(body).path("message").asText("").replaceAll("[\\p{Cntrl}\\s]+", " ");
            return message.length() <= MAX_REASON ? message : message.substring(0, MAX_REASON) + "…";
        } catch (IOException noStatus) {
            return "";
        }
    }

    private ApiAnswer found(byte[] body) {
        try {
            if (JSON.readTree(body) instanceof ObjectNode object) {
                LeaseRecord lease = new LeaseRecord(object);
                return lease.isComplete() ? new ApiAnswer.Found(lease) : failed(server + NO_LEASE, true, null);
            }
            return failed(server + NO_LEASE, true, null);
        } catch (JsonProcessingException | LeaseRecord.Malformed unreadable) {
            return failed(server + NO_LEASE, true, unreadable);
        } catch (IOException impossible) {
            throw new IllegalStateException("an array of bytes can be read", impossible);
        }
    }

    /**
     * The time to wait before another request, as requested by the server, at most a minute; zero
     * if the server requests none.
     */
    private static Duration retryAfter(HttpResponse<?> response) {
        return response.headers()
                .firstValue("Retry-After")
                .filter(text -> text.matches("[0-9]{1,9}"))
                .map(text -> Duration.ofSeconds(Long.parseLong(text)))
                .map(time -> time.compareTo(LONGEST_RETRY_AFTER) < 0 ? time : LONGEST_RETRY_AFTER)
                .orElse(Duration.ZERO);
    }

    private static ApiAnswer failed(String why, boolean maybeDone, @Nullable Throwable cause) {
        return new ApiAnswer.Failed(why, maybeDone, Duration.ZERO, cause);
    }

    private ApiAnswer failure(Throwable reason) {
        if (isUntrusted(reason)) {
            throw new LeaseConfigException(server + " is not spoken to: " + Reasons.of(reason));
        }
        return isUnsent(reason)
                ? failed(server + " cannot be reached: " + Reasons.of(reason), false, reason)
                : failed("no answer of " + server + ": " + Reasons.of(reason), true, reason);
    }

    private static boolean isUnsent(Throwable failure) {
        return failure instanceof ConnectException
                || failure instanceof HttpConnectTimeoutException
                || failure instanceof UnresolvedAddressException
                || failure instanceof UnknownHostException
                || failure instanceof SSLHandshakeException;
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

    /**
     * Ends all connections, where the JVM can. Before Java 21 they end soon, because nothing refers
     * to their client any longer.
     */
    void close() {
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
