package io.flockgate.client.rest;

import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.Loss;
import io.flockgate.client.LostReason;
import io.flockgate.client.Subscription;
import io.flockgate.client.concurrent.RareLog;
import io.flockgate.client.concurrent.Seconds;
import io.flockgate.client.json.JsonObject;
import io.flockgate.client.rest.RestException.Kind;
import io.flockgate.client.rest.RestHttp.Answer;
import io.flockgate.client.rest.RestHttp.Request;
import io.flockgate.client.support.BlockingCalls;
import io.flockgate.client.support.BlockingCalls.Order;
import io.flockgate.client.support.Incarnations;
import io.flockgate.client.support.LossListeners;
import io.flockgate.client.support.ServerSettings;
import io.flockgate.client.support.WaitLog;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Leases over the REST API.
 *
 * <ol>
 *   <li>A claim that waits has its own thread and connection until it is answered. All other calls
 *       share a few threads and connections, and renewals go first.
 *   <li>Grants are detached: they outlive their session, and any session can renew and release
 *       them. They end with the server's process if it keeps them in memory, or when an operator
 *       frees the slot: {@link LossWatch} detects both.
 *   <li>{@link Sessions} keeps the sessions, and {@link Claim} settles claims that got no answer.
 * </ol>
 */
public final class RestBackend implements LeaseBackend {
    private static final Duration CLOSING = Duration.ofSeconds(2);

    private final ServerSettings<RestAddress> settings;
    private final RestHttp http;
    private final Incarnations incarnations;
    private final LossListeners losses;
    private final Sessions sessions;
    private final LossWatch watch;
    private final Set<Claim> claims = ConcurrentHashMap.newKeySet();
    /** The server that is being asked about a grant, by the grant's token. */
    private final Map<String, String> asked = new ConcurrentHashMap<>();

    private final AtomicBoolean closing = new AtomicBoolean();
    private final BlockingCalls calls;
    private final RareLog log;

    /** Creates a back end that connects on first use. */
    public RestBackend(ServerSettings<RestAddress> settings) {
        this.settings = settings;
        this.calls = new BlockingCalls(settings.connection().ioExecutor(), "flockgate-client-io");
        this.http = new RestHttp(settings, calls.threads());
        this.incarnations = new Incarnations(settings.environment());
        this.losses = new LossListeners(settings.environment());
        this.sessions = new Sessions(settings, http, incarnations, losses.id());
        this.watch = new LossWatch(settings, http, sessions, losses, this::lost, calls);
        this.log = WaitLog.of(settings.environment());
    }

    @Override
    public void check(LeaseOptions options) {
        if (options.ttl().toNanosPart() != 0) {
            throw new LeaseConfigException("the REST API counts whole seconds: a ttl of " + Seconds.of(options.ttl())
                    + " cannot be asked for");
        }
    }

    @Override
    public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
        Claim claim = new Claim(settings, http, sessions, log, request);
        claims.add(claim);
        CompletionStage<AcquireResult> result = request.maxWait().isZero()
                ? shortly(Order.SHORT, request.timeout(), claim::run)
                : calls.call(claim::run, failure -> failure);
        return result.whenComplete((answer, failure) -> claims.remove(claim));
    }

    @Override
    public CompletionStage<RenewResult> renew(GrantRequest request) {
        JsonObject body =
                body(request).put("lease_ttl_s", request.ttl().toSeconds()).build();
        long deadline = deadline(request);
        return shortly(Order.RENEWAL, request.timeout(), () -> {
            Meaning<RenewResult> meaning = answer -> Replies.renewed(answer, request);
            return known(request, () -> ask(request, "/renew", body, deadline, meaning));
        });
    }

    /** Renews a grant, and records how long it may last. */
    private RenewResult known(GrantRequest request, Supplier<RenewResult> renewal) {
        RenewResult result;
        try {
            result = renewal.get();
        } catch (RuntimeException unknown) {
            sessions.grants().extend(request.token(), request.ttl());
            throw unknown;
        }
        if (result instanceof RenewResult.Renewed renewed) {
            sessions.grants().extend(request.token(), renewed.ttl());
        } else {
            lost(request.token());
        }
        return result;
    }

    /** Called when the server no longer has this grant. */
    private void lost(String token) {
        sessions.grants().ended(token);
        losses.lost(token);
    }

    @Override
    public CompletionStage<ReleaseResult> release(GrantRequest request) {
        JsonObject body = body(request).build();
        long deadline = deadline(request);
        return shortly(Order.SHORT, request.timeout(), () -> {
            ReleaseResult result =
                    ask(request, "/release", body, deadline, answer -> Replies.released(answer, request));
            sessions.grants().ended(request.token());
            return result;
        });
    }

    @Override
    public Subscription onLoss(GrantRequest grant, Consumer<? super Loss> listener) {
        RestSession session = sessions.grants().sessionOf(grant.token());
        if (session == null) {
            return () -> {};
        }
        if (session.detached()) {
            Subscription restarted = incarnations.onLoss(grant.token(), listener);
            Subscription revoked = losses.onLoss(grant.token(), listener);
            watch.begin();
            return () -> {
                restarted.close();
                revoked.close();
            };
        }
        Runnable tell = () -> listener.accept(Loss.of(
                LostReason.SESSION_GONE, "the session has ended, and this server ends grants with their session"));
        session.losses().add(tell);
        return () -> session.losses().remove(tell);
    }

    @Override
    public String clientName() {
        return settings.connection().clientName();
    }

    @Override
    public String servers() {
        return settings.addresses();
    }

    @Override
    public String serverOf(GrantRequest grant) {
        String server = asked.get(grant.token());
        return server == null ? servers() : server;
    }

    private static JsonObject.Builder body(GrantRequest request) {
        return JsonObject.builder().put("token", request.token());
    }

    /** Interprets an answer. */
    @FunctionalInterface
    private interface Meaning<T> {
        T of(Answer answer) throws RestException;
    }

    /**
     * Sends a request in any session, and to another server if this one has certainly not carried
     * it out.
     */
    private <T> T ask(GrantRequest request, String verb, JsonObject body, long deadline, Meaning<T> meaning) {
        String path = "/v1/locks/" + Segments.encoded(request.name()) + verb;
        CompletableFuture<Void> never = new CompletableFuture<>();
        for (int tries = 1; ; tries++) {
            try {
                RestSession session = sessions.take(false, deadline, never);
                asked.put(request.token(), session.server().toString());
                return ask(session, path, body, meaning, deadline);
            } catch (RestException failed) {
                boolean again = failed.kind() == Kind.SESSION_GONE || failed.kind() == Kind.ELSEWHERE;
                if (!again || failed.maybeDone() || tries > settings.servers().size()) {
                    throw failed.failure();
                }
            } finally {
                asked.remove(request.token());
            }
        }
    }

    private <T> T ask(RestSession session, String path, JsonObject body, Meaning<T> meaning, long deadline)
            throws RestException {
        try {
            Request post = new Request("POST", session.uri(path), session.id(), body.toString());
            T result = meaning.of(http.send(post, deadline - settings.nanos(), new CompletableFuture<>()));
            sessions.giveBack(session);
            return result;
        } catch (RestException failed) {
            sessions.failed(session, failed);
            throw failed;
        } catch (RuntimeException refused) {
            sessions.giveBack(session);
            throw refused;
        }
    }

    private long deadline(GrantRequest request) {
        return settings.nanos() + request.timeout().toNanos();
    }

    /**
     * Runs a short call when its turn comes. If that takes longer than the timeout, the call fails.
     */
    private <T> CompletionStage<T> shortly(Order order, Duration timeout, Supplier<T> call) {
        long latest = settings.nanos() + timeout.toNanos();
        return calls.call(
                order,
                () -> {
                    if (latest - settings.nanos() <= 0) {
                        throw new LeaseUnavailableException("too many calls are waiting for " + servers(), false, null);
                    }
                    return call.get();
                },
                failure -> failure);
    }

    /**
     * Ends the waits, then, on another thread, the sessions without grants, and then the
     * connections.
     */
    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        watch.close();
        claims.forEach(Claim::giveUp);
        try {
            calls.execute(() -> sessions.close(settings.nanos() + CLOSING.toNanos()));
        } catch (RejectedExecutionException refused) {
            // The sessions end after their idle timeout.
        }
        calls.close(http::close);
    }
}
