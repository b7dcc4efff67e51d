package io.flockgate.client.tcp;

import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.Subscription;
import io.flockgate.client.support.Backoff;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The connection for all requests that do not wait. All callers that need it share one opening.
 *
 * <ol>
 *   <li>It is opened when a caller needs it.
 *   <li>If the connector has moved to another server since, the connection is retired and another
 *       one is opened, because its server did not answer elsewhere.
 *   <li>While it is watched, a connection that ends is replaced at once, and so is an opening that
 *       fails, but not before a quarter to three quarters of a second have passed since it began.
 * </ol>
 *
 * Thread safe.
 */
final class SharedConnection {
    private static final Duration SHORTEST = Duration.ofMillis(500);

    private final Connector connector;
    private final LeaseEnvironment environment;
    private final BooleanSupplier watched;

    /** Written under the lock, and read without. */
    private volatile @Nullable CompletableFuture<LineConnection> current;

    /** Guarded by this, like the field below. */
    private Subscription replacement = () -> {};

    private boolean closed;

    /**
     * @param watched whether the end of a connection must be noticed
     */
    SharedConnection(Connector connector, LeaseEnvironment environment, BooleanSupplier watched) {
        this.connector = connector;
        this.environment = environment;
        this.watched = watched;
    }

    synchronized CompletionStage<LineConnection> get(Duration timeout) {
        CompletableFuture<LineConnection> known = current;
        if (known != null && !isOver(known)) {
            if (isUsable(known)) {
                return known;
            }
            connector.retire(known.join());
        }
        long begun = environment.timers().nanos();
        CompletableFuture<LineConnection> opening = connector.open(timeout).toCompletableFuture();
        current = opening;
        var unused =
                opening.thenCompose(LineConnection::closed).whenComplete((ended, failure) -> replace(timeout, begun));
        return opening;
    }

    /**
     * The connection that was opened last; null while there is none. Needs no lock, because leases
     * ask under their own.
     */
    @Nullable
    LineConnection current() {
        CompletableFuture<LineConnection> known = current;
        return known == null || !known.isDone() || known.isCompletedExceptionally() ? null : known.join();
    }

    private static boolean isOver(CompletableFuture<LineConnection> opening) {
        return opening.isCompletedExceptionally()
                || (opening.isDone() && !opening.join().isOpen());
    }

    private boolean isUsable(CompletableFuture<LineConnection> opening) {
        return !opening.isDone() || connector.isCurrent(opening.join().server());
    }

    private synchronized void replace(Duration timeout, long begun) {
        if (!closed && watched.getAsBoolean()) {
            Duration pause = Backoff.varied(SHORTEST, environment.random())
                    .minusNanos(environment.timers().nanos() - begun);
            replacement.close();
            replacement = environment.timers().after(pause.isNegative() ? Duration.ZERO : pause, () -> {
                CompletionStage<LineConnection> unused = get(timeout);
            });
        }
    }

    /** Opens no further connection on its own. */
    synchronized void close() {
        closed = true;
        replacement.close();
    }
}
