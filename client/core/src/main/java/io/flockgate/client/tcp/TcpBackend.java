package io.flockgate.client.tcp;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.Loss;
import io.flockgate.client.Subscription;
import io.flockgate.client.support.Backoff;
import io.flockgate.client.support.RareLog;
import io.flockgate.client.support.Seconds;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Leases over a server of the line protocol.
 *
 * <ol>
 *   <li>One shared connection carries renewals, releases, and claims that do not wait. It is opened
 *       when a caller needs it. If the connector has moved to another server since, the connection
 *       is retired, because its server did not answer elsewhere, and another one is opened.
 *   <li>While a listener waits for the loss of a grant, a shared connection that ends is replaced
 *       at once, and so is an opening that fails, but not before a quarter to three quarters of a
 *       second have passed since it began.
 *   <li>A claim that waits has its own connection until it is answered, because a connection
 *       accepts no other request while a claim waits on it.
 *   <li>Grants are detached: they outlive the connection, and any connection can renew them. They
 *       end with the server's process if it keeps them in memory: {@link Grants} detects that
 *       another process answers.
 *   <li>A server that does not support detached grants ends grants with their connection. Every
 *       claim to such a server has its own connection, which also renews and releases its grant. If
 *       the connection is lost, so is the grant.
 *   <li>A connection on which an answer is late carries no further request, and its server is
 *       avoided. A claim on it stays open until the server answers or the connection ends, so that
 *       a late grant is released.
 * </ol>
 */
final class TcpBackend implements LeaseBackend {
    private static final Duration SHORTEST_OPENING = Duration.ofMillis(500);

    final LeaseEnvironment environment;
    final Connector connector;
    final RareLog log;
    private final String clientName;
    private final Grants grants;

    /** All callers share one opening. Written under the lock, and read without. */
    private volatile @Nullable CompletableFuture<LineConnection> shared;

    /** Guarded by this. */
    private Subscription replacement = () -> {};

    /**
     * Creates a back end that connects on first use.
     *
     * @param servers gateways of one cluster
     */
    TcpBackend(List<ServerAddress> servers, ConnectOptions options) {
        this.environment = options.environment();
        this.clientName = options.clientName();
        this.grants = new Grants(environment);
        this.connector = new Connector(servers, options, grants);
        this.log = new RareLog(
                environment.logger("waits"), environment.timers()::nanos, 1, environment.callbackExecutor());
    }

    @Override
    public void check(LeaseOptions options) {
        if (options.ttl().toNanosPart() != 0) {
            throw new LeaseConfigException("the line protocol counts whole seconds: a ttl of "
                    + Seconds.of(options.ttl()) + " cannot be asked for");
        }
    }

    private synchronized CompletionStage<LineConnection> shared(Duration timeout) {
        CompletableFuture<LineConnection> known = shared;
        if (known != null && !isOver(known)) {
            if (!known.isDone() || connector.isCurrent(known.join().server())) {
                return known;
            }
            connector.retire(known.join());
        }
        long begun = environment.timers().nanos();
        CompletableFuture<LineConnection> opening = connector.open(timeout).toCompletableFuture();
        shared = opening;
        var unused =
                opening.thenCompose(LineConnection::closed).whenComplete((ended, failure) -> replace(timeout, begun));
        return opening;
    }

    private static boolean isOver(CompletableFuture<LineConnection> opening) {
        return opening.isCompletedExceptionally()
                || (opening.isDone() && !opening.join().isOpen());
    }

    private synchronized void replace(Duration timeout, long begun) {
        if (grants.isWatched()) {
            Duration pause = Backoff.varied(SHORTEST_OPENING, environment.random())
                    .minusNanos(environment.timers().nanos() - begun);
            replacement.close();
            replacement = environment.timers().after(pause.isNegative() ? Duration.ZERO : pause, () -> {
                CompletionStage<LineConnection> unused = shared(timeout);
            });
        }
    }

    private synchronized void endReplacements() {
        replacement.close();
    }

    /**
     * The shared connection that was opened last; null while there is none. Needs no lock, because
     * leases ask under their own.
     */
    private @Nullable LineConnection current() {
        CompletableFuture<LineConnection> known = shared;
        return known == null || !known.isDone() || known.isCompletedExceptionally() ? null : known.join();
    }

    @Override
    public CompletionStage<AcquireResult> acquire(AcquireRequest request, CompletionStage<?> abandoned) {
        if (!request.maxWait().isZero()) {
            return new WaitingClaim(this, request).start(abandoned);
        }
        return claimNow(request, abandoned, connector.numberOfServers());
    }

    private CompletionStage<AcquireResult> claimNow(
            AcquireRequest request, CompletionStage<?> abandoned, int serversLeft) {
        return shared(request.timeout()).thenCompose(connection -> {
            if (!connection.detached()) {
                return new WaitingClaim(this, request).start(abandoned);
            }
            byte[] frame = Protocol.acquire(request, Duration.ZERO);
            return ask(connection, frame, request.timeout(), true).thenCompose(reply -> {
                if (Protocol.isDraining(checked(reply, connection)) && serversLeft > 1) {
                    return claimNow(request, abandoned, serversLeft - 1);
                }
                return CompletableFuture.completedStage(
                        noted(Protocol.acquired(reply, request, connection), connection));
            });
        });
    }

    /** Records which server made a grant, or with which connection it ends. */
    AcquireResult noted(AcquireResult result, LineConnection connection) {
        if (result instanceof Granted granted) {
            if (connection.detached()) {
                grants.granted(granted.token(), connection.incarnation(), granted.ttl());
            } else {
                grants.bound(granted.token(), connection, granted.ttl());
            }
        }
        return result;
    }

    @Override
    public CompletionStage<RenewResult> renew(GrantRequest request) {
        return onItsConnection(
                        request, Protocol.renew(request), (reply, from) -> Protocol.renewed(reply, request, from))
                .whenComplete((result, failure) -> {
                    if (result instanceof RenewResult.NotHeld) {
                        grants.ended(request.token());
                    }
                });
    }

    @Override
    public CompletionStage<ReleaseResult> release(GrantRequest request) {
        return onItsConnection(
                        request, Protocol.release(request), (reply, from) -> Protocol.released(reply, request, from))
                .whenComplete((done, failure) -> {
                    if (failure == null) {
                        grants.ended(request.token());
                    }
                });
    }

    private <T> CompletionStage<T> onItsConnection(
            GrantRequest request, byte[] frame, BiFunction<String, LineConnection, T> meaning) {
        LineConnection own = grants.connectionOf(request.token());
        CompletionStage<LineConnection> connection =
                own != null && own.isOpen() ? CompletableFuture.completedStage(own) : shared(request.timeout());
        return connection.thenCompose(to ->
                ask(to, frame, request.timeout(), false).thenApply(reply -> meaning.apply(checked(reply, to), to)));
    }

    /**
     * Sends a request. Without a reply in time the result is unknown.
     *
     * @param lateCounts true for a claim, whose stage stays open until the reply
     */
    private CompletionStage<String> ask(LineConnection connection, byte[] frame, Duration timeout, boolean lateCounts) {
        CompletableFuture<String> reply = new CompletableFuture<>();
        Subscription timer = environment.timers().after(timeout, () -> {
            answerIsLate(connection);
            if (!lateCounts) {
                reply.completeExceptionally(new LeaseUnavailableException(
                        "no answer from " + connection.server() + " " + Seconds.within(timeout), true, null));
            }
        });
        connection.send(frame).whenComplete((line, failure) -> {
            timer.close();
            if (failure != null) {
                reply.completeExceptionally(failure);
            } else {
                reply.complete(line);
            }
        });
        return reply;
    }

    /**
     * Sends nothing more on a connection whose server does not answer, but still reads late
     * replies.
     */
    void answerIsLate(LineConnection connection) {
        connector.avoid(connection.server());
        connector.retire(connection);
    }

    /** Returns the reply. If the server is draining, the next connection goes to another server. */
    String checked(String reply, LineConnection connection) {
        if (Protocol.isDraining(reply)) {
            connector.avoid(connection.server());
            connection.close("the server is shutting down");
        }
        return reply;
    }

    @Override
    public CompletionStage<Optional<URI>> restApi(Duration timeout) {
        return shared(timeout).thenApply(connection -> Optional.ofNullable(connection.restApi()));
    }

    @Override
    public String clientName() {
        return clientName;
    }

    @Override
    public String servers() {
        return connector.addresses();
    }

    @Override
    public String serverOf(GrantRequest grant) {
        LineConnection own = grants.connectionOf(grant.token());
        LineConnection to = own != null ? own : current();
        return to == null ? servers() : to.server().toString();
    }

    /**
     * Keeps a connection open while there are detached grants, because its loss reveals a restart
     * at once.
     */
    @Override
    public Subscription onLoss(GrantRequest grant, Consumer<? super Loss> listener) {
        Subscription watched = grants.onLoss(grant.token(), listener);
        if (grants.isWatched()) {
            CompletionStage<LineConnection> unused = shared(grant.timeout());
        }
        return watched;
    }

    @Override
    public void close() {
        grants.closing();
        endReplacements();
        connector.close();
        grants.close();
    }
}
