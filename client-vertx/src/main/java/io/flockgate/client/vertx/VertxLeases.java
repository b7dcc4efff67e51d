package io.flockgate.client.vertx;

import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/**
 * A {@link LeaseProvider} for code on event loops. No method blocks. Safe from any thread.
 *
 * <p>Create the provider where the application starts, because the first connection options look up
 * the name of this host. Close it when the application ends, or in {@code stop} of the verticle
 * that created it.
 *
 * {@snippet :
 * VertxLeases leases = new VertxLeases(vertx, provider);
 * Future<Optional<String>> result =
 *         leases.runExclusive(LeaseOptions.of("report"), Duration.ofSeconds(30), grant -> report(grant.lost()));
 * }
 */
public final class VertxLeases {
    private final Vertx vertx;
    private final LeaseProvider leases;

    /** Wraps a provider. Closing either closes the other. */
    public VertxLeases(Vertx vertx, LeaseProvider leases) {
        this.vertx = vertx;
        this.leases = leases;
    }

    /**
     * Creates a lease that is not yet acquired. Two leases of one name compete as if they belonged
     * to different processes.
     *
     * @throws io.flockgate.client.LeaseConfigException if the back end does not support the options
     * @throws io.flockgate.client.LeaseClosedException after {@link #close()}
     */
    public VertxLease lease(LeaseOptions options) {
        return new VertxLease(vertx, leases.lease(options));
    }

    /** Creates a lease with default options: limit 1, and a length of 30 seconds. */
    public VertxLease lease(String name) {
        return lease(LeaseOptions.of(name));
    }

    /**
     * {@link VertxLease#runExclusive} with its own lease, so that the work of several callers is
     * mutually exclusive as well.
     *
     * @param wait the maximum time to wait for the slot; zero tries once
     * @param work called on the caller's context, while the slot is held
     */
    public <T> Future<Optional<T>> runExclusive(
            LeaseOptions options, Duration wait, Function<? super VertxGrant, Future<T>> work) {
        VertxLease lease;
        try {
            lease = lease(options);
        } catch (RuntimeException refused) {
            return Future.failedFuture(refused);
        }
        return lease.runExclusive(wait, work)
                .transform((result, failure) -> lease.close()
                        .transform((closed, unconfirmed) ->
                                failure != null ? Future.failedFuture(failure) : Future.succeededFuture(result)));
    }

    /**
     * {@link #runExclusive} for work whose future has no result.
     *
     * @return true if the work was called; false if other clients held all slots until the wait
     *     ended
     */
    public Future<Boolean> runExclusiveWithoutResult(
            LeaseOptions options, Duration wait, Function<? super VertxGrant, ? extends Future<?>> work) {
        return runExclusive(options, wait, grant -> work.apply(grant).map(true)).map(Optional::isPresent);
    }

    /**
     * Closes all leases and then the connections, on a worker thread. Completes within a few
     * seconds.
     */
    public Future<Void> close() {
        return vertx.executeBlocking(
                        () -> {
                            leases.close();
                            return true;
                        },
                        false)
                .mapEmpty();
    }
}
