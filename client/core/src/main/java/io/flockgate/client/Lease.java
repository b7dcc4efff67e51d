package io.flockgate.client;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A claim to one slot of a name, owned for a bounded time and renewed until it is released or lost.
 *
 * <p>An attempt has three results. <em>Yes</em>: the slot is ours. <em>No</em>: another client
 * holds it, for certain. <em>Unknown</em>: the stage fails with {@link LeaseUnavailableException};
 * do not treat it as a refusal.
 *
 * <p>A process may stop for any time between {@link #checkAlive()} and a write to what the lease
 * protects. Pass the fence of the {@link LeaseGrant} to the resource, and let the resource refuse a
 * fence that is lower than the highest it has seen.
 *
 * <p>All methods are safe from any thread, and none blocks but {@link #close()}. Stages are
 * completed on the callback executor of {@link LeaseEnvironment}, or at once on the caller's
 * thread. To cancel the future of an acquire, or to complete it otherwise, as {@code orTimeout}
 * does, withdraws the claim: it leaves the queue, and a grant that arrives late is released. The
 * future is {@code toCompletableFuture()} of the stage itself; stages derived from it do not
 * withdraw.
 *
 * {@snippet :
 * Lease lease = leases.lease("ledger");
 * lease.onLost(event -> stop());
 * lease.acquireWithToken().thenAccept(grant -> grant.ifPresent(held -> start(held)));
 * }
 */
public interface Lease extends AutoCloseable {
    /** The claimed name, as the server knows it. */
    String name();

    /**
     * The claimant: the name of the client ({@link ConnectOptions#clientName}) and a random part
     * that is unique to this lease.
     */
    String owner();

    /**
     * Tries once to become the holder, and renews from then on. Does not wait in a queue.
     *
     * @return true: held, even if it was held before. False: another client holds it, for certain,
     *     or {@link #release()} ended the attempt. Fails with {@link LeaseUnavailableException} if
     *     the result is unknown, {@link LeaseRefusedException} if a limit of the server is reached,
     *     {@link LeaseAuthException} if the server refuses us, {@link LeaseConfigException} if it
     *     refuses the options, {@link LeaseClosedException} after {@link #close()}
     */
    default CompletionStage<Boolean> acquire() {
        return acquireWithToken().thenApply(Optional::isPresent);
    }

    /**
     * Like {@link #acquire()}, but returns the grant. Empty exactly if {@link #acquire()} would
     * return false.
     */
    default CompletionStage<Optional<LeaseGrant>> acquireWithToken() {
        return acquire(Duration.ZERO);
    }

    /**
     * Waits its turn for at most this time; zero tries once. Concurrent calls join one attempt and
     * its time. While the lease is held, the stage completes at once with the same grant. After an
     * abandoned attempt, the next begins when nothing of that attempt is left.
     *
     * @return as {@link #acquireWithToken()}; fails with {@link LeaseConfigException} if the time
     *     is negative or over 365 days
     */
    CompletionStage<Optional<LeaseGrant>> acquire(Duration wait);

    /**
     * Releases the slot, or ends a running attempt; does nothing if there is neither. From the call
     * on {@link #checkAlive()} is false. A grant that arrives late is released as well, and only
     * then does the stage complete.
     *
     * @return fails with {@link LeaseReleaseException} if the server did not confirm the release;
     *     the slot is then free by the time its lease expires, and the client keeps retrying until
     *     then
     */
    CompletionStage<Void> release();

    /**
     * Returns whether this process holds the slot now, to the best of its knowledge. Needs no I/O,
     * lock, wait or allocation, and may be called as often as desired. Once false for a grant, it
     * stays false for that grant.
     */
    boolean checkAlive();

    /** The grant that is held now; empty if none is alive. */
    Optional<LeaseGrant> current();

    /** How long {@link #checkAlive()} stays true without another renewal; zero if it is false. */
    Duration remaining();

    /**
     * Calls the handler when a grant is lost: once for each loss, never for a grant that {@link
     * #release()} or {@link #close()} ended, and never before the stage of the acquire has
     * completed. For one loss, handlers run one after the other in the order of their registration,
     * on the callback executor. An exception of one handler is logged and does not affect the
     * others.
     */
    Subscription onLost(Consumer<? super LostEvent> handler);

    /**
     * Ends the lease for good, but leaves a grant to the work under it. No further claim begins,
     * and a waiting claim fails with {@link LeaseClosedException}. A grant stays alive and renewed
     * until {@link #release()} or {@link #close()}; {@link LeaseGrant#lost()} and the handlers
     * report {@link LostReason#BACKEND_CLOSED} at once, so that the work can end early. Completes
     * when nothing is held.
     */
    CompletionStage<Void> shutdown();

    /**
     * Like {@link #close()}, without waiting. Completes when the slot is released, or the attempt
     * to do so has ended.
     */
    CompletionStage<Void> closeAsync();

    /**
     * Ends the lease for good: tries to release the slot for at most two seconds, logs a failure,
     * and calls no handler from then on. A second call does nothing.
     */
    @Override
    void close();
}
