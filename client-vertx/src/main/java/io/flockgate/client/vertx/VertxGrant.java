package io.flockgate.client.vertx;

import io.flockgate.client.Grant;
import io.flockgate.client.LostEvent;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * A {@link Grant} for code on event loops: one period as the holder, from an acquire to its release
 * or loss. No method blocks. Safe from any thread.
 */
public final class VertxGrant {
    private final Vertx vertx;
    private final Grant grant;

    VertxGrant(Vertx vertx, Grant grant) {
        this.vertx = vertx;
        this.grant = grant;
    }

    /**
     * The grant behind this facade. Its stages complete on the client's threads, not on a context.
     */
    public Grant unwrap() {
        return grant;
    }

    /** {@link Grant#token()}: opaque, and a secret. */
    public String token() {
        return grant.token();
    }

    /**
     * {@link Grant#fence()}: a number that rises with each grant of the name, for the resource to
     * compare.
     */
    public OptionalLong fence() {
        return grant.fence();
    }

    /** Returns whether this grant is held now, to the best of this process's knowledge. */
    public boolean isAlive() {
        return grant.isAlive();
    }

    /** How long {@link #isAlive()} stays true without another renewal; zero if it is false. */
    public Duration remaining() {
        return grant.remaining();
    }

    /**
     * Completes when this grant is lost, on the caller's context, and never fails. It stays open
     * after a voluntary release.
     */
    public Future<LostEvent> lost() {
        return Futures.on(vertx.getOrCreateContext(), grant.lost());
    }

    /**
     * Renews now, unless at least this time is left. Completes on the caller's context.
     *
     * @return true if at least this time is left at the end. Fails with {@link
     *     io.flockgate.client.LeaseConfigException} if even a fresh renewal could not provide that
     *     much
     */
    public Future<Boolean> ensure(Duration atLeast) {
        return Futures.on(vertx.getOrCreateContext(), grant.ensure(atLeast));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof VertxGrant same && grant.equals(same.grant);
    }

    @Override
    public int hashCode() {
        return grant.hashCode();
    }

    @Override
    public String toString() {
        return grant.toString();
    }
}
