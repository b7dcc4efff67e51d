package io.flockgate.client;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

/**
 * One time of being the holder: from an acquire to its release or loss. Work keeps its grant, not
 * the lease, so that a later grant of the same lease is never taken for this one. Safe from any
 * thread.
 */
public interface Grant {
    /**
     * The server's name of this grant. Opaque: compare it for equality only. A secret: who has it
     * can release the slot.
     */
    String token();

    /**
     * A number that rises with each grant of the name, for the resource to compare; unsigned. Empty
     * if the server gives none, as dflockd does.
     */
    OptionalLong fence();

    /** {@link Lease#checkAlive()} for this grant. */
    boolean isAlive();

    /** {@link Lease#remaining()} for this grant. */
    Duration remaining();

    /**
     * Completes when this grant is lost or its provider closes, on the callback executor, and never
     * exceptionally. It stays open after a voluntary release.
     */
    CompletionStage<LostEvent> lost();

    /**
     * Renews now, unless at least this time is left. Joins a renewal that is under way.
     *
     * @return true if at least this time is left at the end. Fails with {@link
     *     LeaseConfigException} if even a fresh renewal could not give so much
     */
    CompletionStage<Boolean> ensure(Duration atLeast);
}
