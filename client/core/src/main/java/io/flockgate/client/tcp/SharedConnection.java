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
 *   <li>While it is watched, a connection that ends is replaced at once. Further attempts wait: 50
 *       ms, then twice as long each time up to 800 ms, varied by a half.
 *   <li>After a connection that has lasted for ten seconds, the next replacement counts as the
 *       first again.
 * </ol>
 *
 * Thread safe.
 */
final class SharedConnection {
    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(50), Duration.ofMillis(800));
    private static final Duration STABLE = Duration.ofSeconds(10);

    private final Connector connector;
    private final LeaseEnvironment environment;
    private final BooleanSupplier watched;

    /** Written under the lock, and read without. */
    private volatile @Nullable CompletableFuture<LineConnection> current;

    /** Guarded by this, like the fields below. */
    private int replacements;

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
        CompletableFuture<LineConnection> opening = connector.open(timeout).toCompletableFuture();
        current = opening;
        var unused = opening.whenComplete((connection, failure) -> {
            if (connection == null) {
                replaceSoon(timeout);
            } else {
                replaceAtEnd(connection, timeout);
            }
        });
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

    private void replaceAtEnd(LineConnection connection, Duration timeout) {
        long opened = environment.ticker().nanos();
        var unused = connection.closed().whenComplete((nothing, failure) -> {
            if (environment.ticker().nanos() - opened >= STABLE.toNanos()) {
                markStable();
            }
            replaceSoon(timeout);
        });
    }

    private synchronized void markStable() {
        replacements = 0;
    }

    private synchronized void replaceSoon(Duration timeout) {
        if (closed || !watched.getAsBoolean()) {
            return;
        }
        Duration pause = replacements == 0 ? Duration.ZERO : BACKOFF.after(replacements, environment.random());
        replacements++;
        replacement.close();
        replacement = environment.scheduler().after(pause, () -> {
            CompletionStage<LineConnection> unused = get(timeout);
        });
    }

    /** Opens no further connection on its own. */
    synchronized void close() {
        closed = true;
        replacement.close();
    }
}
