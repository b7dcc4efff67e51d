package io.flockgate.client;

/**
 * The ways to lose a grant. Later versions may add reasons: treat an unfamiliar one like {@link
 * #UNKNOWN}.
 */
public enum LostReason {
    /** The server answered a renewal by reporting that this grant is no longer held. */
    RENEWAL_REJECTED,
    /**
     * The time passed without a confirmed renewal. The server may still reserve the slot for a
     * moment.
     */
    EXPIRED_LOCALLY,
    /** An operator or another client released the grant, or the server has given it up. */
    REVOKED,
    /** The server has restarted, and has not kept its grants. */
    SERVER_RESTARTED,
    /** The connection was lost, and this server ends grants with their connection. */
    CONNECTION_LOST,
    /**
     * The client is closing while the lease is held. The grant is alive until it is released or its
     * time expires.
     */
    BACKEND_CLOSED,
    /** None of the other reasons. */
    UNKNOWN
}
