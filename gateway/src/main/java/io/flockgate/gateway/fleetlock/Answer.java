package io.flockgate.gateway.fleetlock;

import java.util.Locale;

/**
 * An answer to a client.
 *
 * @param value a text for people, never empty
 */
public record Answer(AnswerKind kind, String value) {

    /**
     * The closed set of FleetLock's answers (protocol-docs/fleetlock.md, "Answers"). Clients turn
     * the kinds into labels of metrics. Only success has status 200, because clients treat every
     * status below 300 as success.
     */
    public enum AnswerKind {
        LOCK_GRANTED(200),
        LOCK_ALREADY_HELD(200),
        LOCK_RELEASED(200),
        LOCK_NOT_HELD(200),
        FAILED_LOCK_SEMAPHORE_FULL(409),
        FAILED_LOCK_GROUP_PAUSED(409),
        FAILED_LOCK_OUTSIDE_WINDOW(409),
        METHOD_NOT_ALLOWED(405),
        MISSING_PROTOCOL_HEADER(400),
        UNAUTHORIZED(401),
        FORBIDDEN(403),
        RATE_LIMITED(429),
        BODY_TOO_LARGE(413),
        INVALID_BODY(400),
        INVALID_ID(400),
        INVALID_GROUP(400),
        UNKNOWN_GROUP(400),
        NOT_FOUND(404),
        OTHER_HOST(421),
        CROSS_SITE(403),
        OVERLOADED(503),
        BACKEND_UNAVAILABLE(503),
        DRAINING(503),
        SHUTTING_DOWN(503),
        INTERNAL_ERROR(500);

        private final int status;

        AnswerKind(int status) {
            this.status = status;
        }

        public int status() {
            return status;
        }

        /** The kind as an answer contains it. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
