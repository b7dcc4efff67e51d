package io.flockgate.client.consul;

import io.flockgate.client.LeaseEnvironment.Ticker;
import io.flockgate.client.http.HttpCaller;
import io.flockgate.client.http.HttpFailure;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.ConsulException.Effect;
import io.flockgate.consul.kv.ConsulException.FailureKind;
import io.flockgate.consul.kv.Failures;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Sends a limited number of concurrent requests to Consul's agents. One agent is used until it
 * cannot be reached or answers that it cannot serve; then the next. Callers' threads wait for the
 * answers. Thread safe.
 */
final class ConsulHttp {
    /** Maximum size of an answer. A read of one key with 10,000 waiters has 5 MiB. */
    private static final int MAX_ANSWER = 64 * 1024 * 1024;

    private static final Duration CONNECT = Duration.ofSeconds(2);

    private final List<URI> agents;
    private final Supplier<String> token;
    private final HttpCaller caller;
    private final Ticker ticker;
    private final AtomicInteger current = new AtomicInteger();
    private final RequestLimit limit = new RequestLimit();

    /**
     * Opens no connection yet.
     *
     * @param token returns the ACL token; empty for none
     */
    ConsulHttp(List<URI> agents, Supplier<String> token, SSLContext tls, Executor executor, Ticker ticker) {
        this.agents = List.copyOf(agents);
        this.token = token;
        this.ticker = ticker;
        this.caller = new HttpCaller(tls, executor, CONNECT, true, MAX_ANSWER);
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Answer(int status, byte[] body, long index) {
        String words() {
            return Failures.words(body);
        }

        /** The reason to try another agent; null if there is none. */
        @Nullable
        ConsulException failure() {
            if (status != 429 && status < 500) {
                return null;
            }
            ConsulException failure = Failures.ofAnswer(status, words());
            return failure.isOutage() ? failure : null;
        }
    }

    /**
     * Sends a request and waits for its answer.
     *
     * @param urgent whether the request renews what would otherwise be lost, and goes before others
     * @param deadline the ticker's time until which to wait
     * @param stop ends the wait early when it completes
     * @throws ConsulException if there is no answer
     */
    Answer send(boolean urgent, String method, String path, byte[] body, long deadline, CompletableFuture<?> stop) {
        begin(urgent, deadline, stop);
        try {
            return send(method, path, body, deadline, stop);
        } finally {
            limit.end();
        }
    }

    private void begin(boolean urgent, long deadline, CompletableFuture<?> stop) {
        // Half of the time is kept for the answer, because a write without one has no certain
        // result.
        if (!limit.begin(urgent, (deadline - ticker.nanos()) / 2, stop)) {
            throw Errors.unavailable(Effect.NOT_DONE, "too many requests of this client wait for Consul");
        }
    }

    private Answer send(String method, String path, byte[] body, long deadline, CompletableFuture<?> stop) {
        for (int tries = 1; ; tries++) {
            int agent = current.get();
            try {
                Answer answer = sendTo(agents.get(agent), method, path, body, deadline, stop);
                ConsulException failure = answer.failure();
                if (failure == null) {
                    return answer;
                }
                leave(agent);
                if (failure.mayBeDone() || tries >= agents.size() || stop.isDone()) {
                    return answer;
                }
            } catch (ConsulException failed) {
                if (stop.isDone()) {
                    throw failed;
                }
                leave(agent);
                if (failed.mayBeDone() || tries >= agents.size()) {
                    throw failed;
                }
            }
        }
    }

    /** Directs the next requests to another agent. */
    private void leave(int agent) {
        current.compareAndSet(agent, (agent + 1) % agents.size());
    }

    private Answer sendTo(
            URI agent, String method, String path, byte[] body, long deadline, CompletableFuture<?> stop) {
        long left = deadline - ticker.nanos();
        HttpRequest.Builder request =
                HttpRequest.newBuilder(agent.resolve(path)).method(method, BodyPublishers.ofByteArray(body));
        String secret = secret();
        if (!secret.isEmpty()) {
            request.header("X-Consul-Token", secret);
        }
        try {
            return answer(caller.send(request.build(), left, stop));
        } catch (HttpFailure failed) {
            throw Errors.unanswered(agent, failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw Errors.unavailable(Effect.UNKNOWN, "interrupted while waiting for Consul");
        }
    }

    /** The token, checked here because the JDK's message about an invalid one would show it. */
    private String secret() {
        String secret;
        try {
            secret = token.get();
        } catch (RuntimeException unknown) {
            throw new ConsulException(FailureKind.UNAVAILABLE, Effect.NOT_DONE, "the ACL token cannot be had", unknown);
        }
        if (!secret.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            throw Errors.invalid("the ACL token has other characters than printable ASCII");
        }
        return secret;
    }

    private static Answer answer(HttpResponse<byte[]> response) {
        String index = response.headers().firstValue("X-Consul-Index").orElse("0");
        try {
            return new Answer(response.statusCode(), response.body(), Long.parseUnsignedLong(index));
        } catch (NumberFormatException other) {
            return new Answer(response.statusCode(), response.body(), 0);
        }
    }

    /** Ends all connections. */
    void close() {
        caller.close();
    }
}
