package io.flockgate.client;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/** The loss of one grant. Immutable. */
public final class LostEvent {
    private final String name;
    private final Loss loss;
    private final LeaseGrant grant;
    private final Instant at;

    /** For adapters that keep track of time themselves. */
    public LostEvent(LeaseGrant grant, String name, Loss loss, Instant at) {
        this.grant = Objects.requireNonNull(grant);
        this.name = name;
        this.loss = Objects.requireNonNull(loss);
        this.at = at;
    }

    /** The name of the lease. */
    public String name() {
        return name;
    }

    /** The kind of loss. */
    public LostReason reason() {
        return loss.reason();
    }

    /** The loss in words, for a log. Without the token. */
    public String message() {
        return loss.message();
    }

    /** The failure that caused the loss, if there is one. */
    public Optional<Throwable> cause() {
        return Optional.ofNullable(loss.cause());
    }

    /** The grant that is lost. */
    public LeaseGrant grant() {
        return grant;
    }

    /** The token of the grant that is lost. */
    public String token() {
        return grant.token();
    }

    /** The time at which this process noticed the loss, by its own wall clock. */
    public Instant at() {
        return at;
    }

    @Override
    public String toString() {
        return "lease " + name + " lost: " + reason() + ", " + message();
    }
}
