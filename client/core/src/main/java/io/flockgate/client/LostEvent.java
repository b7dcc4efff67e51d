package io.flockgate.client;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * The loss of one grant.
 *
 * @param grant the grant that is lost
 * @param name the name of the lease
 * @param loss what the back end, or the client itself, has found
 * @param at the time at which this process noticed the loss, by its own wall clock
 */
public record LostEvent(LeaseGrant grant, String name, Loss loss, Instant at) {
    public LostEvent {
        Objects.requireNonNull(grant);
        Objects.requireNonNull(loss);
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

    /** The token of the grant that is lost. */
    public String token() {
        return grant.token();
    }

    @Override
    public String toString() {
        return "lease " + name + " lost: " + reason() + ", " + message();
    }
}
