package io.flockgate.gateway.limits;

/** Something of which clients may use a limited number at the same time. */
public enum Resource {
    /** Connections of the line protocol. */
    CONNECTION("connections", "--max-connections"),
    HTTP_CONNECTION("connections", "--http-max-connections"),
    /** TLS handshakes in progress, of both ports. */
    HANDSHAKE("TLS handshakes", ""),
    /** Sessions of the REST API. */
    SESSION("sessions", "--http-max-sessions"),
    /** Requests of sessions that wait for their turn. */
    CALL("requests", ""),
    EVENT_STREAM("event streams", "--http-max-event-streams"),
    /** Reports that run or wait. */
    REPORT("reports", ""),
    /** Claims enqueued by {@code e} or {@code se} whose wait has not begun. */
    ENQUEUED("enqueued claims", ""),
    /** Operators' orders whose audit lines are not yet written. */
    ORDER("orders", "");

    private final String noun;
    private final String flag;

    Resource(String noun, String flag) {
        this.noun = noun;
        this.flag = flag;
    }

    /** What is counted, in the plural. */
    String noun() {
        return noun;
    }

    /**
     * The flag that sets the cap on all; empty for a constant. The flag of the cap for a peer, if
     * there is one, ends in {@code -per-ip}.
     */
    String flag() {
        return flag;
    }
}
