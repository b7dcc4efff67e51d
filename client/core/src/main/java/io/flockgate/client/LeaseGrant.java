package io.flockgate.client;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

/**
 * One period as the holder: from an acquire to its release or loss. Work should refer to its grant,
 * not the lease, so that it never mistakes a later grant of the same lease for its own. Safe from
 * any thread.
 */
public interface LeaseGrant {
    /**
     * The server's name for this grant. It is opaque: compare it for equality only. It is a secret:
     * any client that has it can release the slot.
     */
    String token();

    /**
     * A number that rises with each grant of the name, for the resource to compare; unsigned. Empty
     * if the server issues none, like dflockd.
     */
    OptionalLong fence();

    /** {@link Lease#checkAlive()} for this grant. */
    boolean isAlive();

    /** {@link Lease#remaining()} for this grant. */
    Duration remaining();

    /**
     * Completes on the callback executor when this grant is lost or its provider closes, and never
     * exceptionally. It stays open after a voluntary release.
     */
    CompletionStage<LostEvent> lost();

    /**
     * Renews now, unless at least this time is left. Joins a renewal that is under way.
     *
     * @return true if at least this time is left at the end. Fails with {@link
     *     LeaseConfigException} if even a fresh renewal could not provide that much
     */
    CompletionStage<Boolean> ensure(Duration atLeast);
}
