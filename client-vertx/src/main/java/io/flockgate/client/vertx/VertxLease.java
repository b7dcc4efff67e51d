package io.flockgate.client.vertx;

import io.flockgate.client.Grant;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseLostException;
import io.flockgate.client.LostEvent;
import io.flockgate.client.Subscription;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Lease} for code on event loops. No method blocks. Safe from any thread.
 *
 * <p>Futures complete, and handlers run, on the context of their caller. A caller outside Vert.x
 * gets the context that Vert.x keeps for its thread. The futures fail with the exceptions of {@link
 * Lease}; contention is not a failure.
 */
public final class VertxLease {
    private final Vertx vertx;
    private final Lease lease;
    private final AtomicBoolean busy = new AtomicBoolean();
    private volatile boolean closed;

    /** Wraps a lease that is used only through this object. */
    public VertxLease(Vertx vertx, Lease lease) {
        this.vertx = vertx;
        this.lease = lease;
    }

    /**
     * The lease behind this facade. Its stages complete on the client's threads, not on a context.
     */
    public Lease unwrap() {
        return lease;
    }

    /** The claimed name. */
    public String name() {
        return lease.name();
    }

    /** Tries once to become the holder; see {@link Lease#acquire()}. */
    public Future<Boolean> acquire() {
        return acquireWithToken().map(Optional::isPresent);
    }

    /**
     * Like {@link #acquire()}, but returns the grant. Empty exactly if {@link #acquire()} would
     * return false.
     */
    public Future<Optional<VertxGrant>> acquireWithToken() {
        return acquire(Duration.ZERO);
    }

    /**
     * Waits its turn for at most this time; zero tries once.
     *
     * @return the grant; empty if other clients held all slots until the wait ended, or {@link
     *     #release()} ended the attempt
     * @see Lease#acquire(Duration)
     */
    public Future<Optional<VertxGrant>> acquire(Duration wait) {
        return Futures.on(vertx.getOrCreateContext(), lease.acquire(wait)).map(this::facade);
    }

    private Optional<VertxGrant> facade(Optional<Grant> grant) {
        return grant.map(given -> new VertxGrant(vertx, given));
    }

    /** Releases the slot, or ends a running attempt; see {@link Lease#release()}. */
    public Future<Void> release() {
        return Futures.on(vertx.getOrCreateContext(), lease.release());
    }

    /**
     * Returns whether this process holds the slot now, to the best of its knowledge; see {@link
     * Lease#checkAlive()}.
     */
    public boolean checkAlive() {
        return lease.checkAlive();
    }

    /** The grant that is held now; empty if none is alive. */
    public Optional<VertxGrant> current() {
        return facade(lease.current());
    }

    /** How long {@link #checkAlive()} stays true without another renewal; zero if it is false. */
    public Duration remaining() {
        return lease.remaining();
    }

    /**
     * Calls the handler on the caller's context when a grant is lost: once for each loss, never for
     * one that was released. After the subscription or this lease is closed on that context, the
     * handler is no longer called. What it throws is passed to the exception handler of the
     * context.
     */
    public Subscription onLost(Handler<LostEvent> handler) {
        Context context = vertx.getOrCreateContext();
        AtomicBoolean removed = new AtomicBoolean();
        Subscription subscription = lease.onLost(event -> context.runOnContext(nothing -> {
            if (!removed.get() && !closed) {
                handler.handle(event);
            }
        }));
        return () -> {
            removed.set(true);
            subscription.close();
        };
    }

    /**
     * Acquires, calls the work, and releases the slot when the future of the work has succeeded or
     * failed. A future cannot be stopped, so the work itself must end when {@link
     * VertxGrant#lost()} completes.
     *
     * @param wait the maximum time to wait for the slot; zero tries once
     * @param work called on the caller's context, while the slot is held
     * @return the result of the work; empty if other clients held all slots until the wait ended,
     *     and the work was not called. Fails with the failure of the work, with {@link
     *     LeaseLostException} if the grant was lost before the work ended, or with {@link
     *     IllegalStateException} if other work of this object is running. A release that the server
     *     did not confirm is not a failure: the slot is free by the time its lease expires
     */
    public <T> Future<Optional<T>> runExclusive(Duration wait, Function<? super VertxGrant, Future<T>> work) {
        if (!busy.compareAndSet(false, true)) {
            return Future.failedFuture(
                    new IllegalStateException("work is already running under the lease of " + name()));
        }
        Future<Optional<VertxGrant>> acquired;
        try {
            acquired = acquire(wait);
        } catch (RuntimeException refused) {
            busy.set(false);
            return Future.failedFuture(refused);
        }
        return acquired.compose(grant -> grant.isPresent() ? run(grant.get(), work) : empty())
                .andThen(end -> busy.set(false));
    }

    /**
     * {@link #runExclusive} for work whose future has no result.
     *
     * @return true if the work was called; false if other clients held all slots until the wait
     *     ended
     */
    public Future<Boolean> runExclusiveWithoutResult(
            Duration wait, Function<? super VertxGrant, ? extends Future<?>> work) {
        return runExclusive(wait, grant -> work.apply(grant).map(true)).map(Optional::isPresent);
    }

    private static <T> Future<Optional<T>> empty() {
        return Future.succeededFuture(Optional.empty());
    }

    private <T> Future<Optional<T>> run(VertxGrant grant, Function<? super VertxGrant, Future<T>> work) {
        return call(grant, work).transform((result, failure) -> {
            Future<Optional<T>> outcome = outcome(grant, result, failure);
            return release().transform((released, unconfirmed) -> outcome);
        });
    }

    /** Treats an exception of the work as its failure, so that the slot is released in any case. */
    private static <T> Future<T> call(VertxGrant grant, Function<? super VertxGrant, Future<T>> work) {
        try {
            return Objects.requireNonNull(work.apply(grant), "the work gave no future");
        } catch (Throwable thrown) {
            return Future.failedFuture(thrown);
        }
    }

    private <T> Future<Optional<T>> outcome(VertxGrant grant, T result, @Nullable Throwable failure) {
        if (!grant.isAlive()) {
            return Future.failedFuture(LeaseLostException.of(name(), grant.unwrap(), failure));
        }
        return failure != null ? Future.failedFuture(failure) : Future.succeededFuture(Optional.ofNullable(result));
    }

    /**
     * Ends the lease for good; see {@link Lease#closeAsync()}. No handler is called from then on.
     */
    public Future<Void> close() {
        closed = true;
        return Futures.on(vertx.getOrCreateContext(), lease.closeAsync());
    }
}
