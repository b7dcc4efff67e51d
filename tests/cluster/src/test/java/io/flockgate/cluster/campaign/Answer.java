package io.flockgate.cluster.campaign;

/** The answer to a client's call. */
enum Answer {
    /** A slot: {@code ok} or {@code acquired}, with a token. */
    GRANTED,
    QUEUED,
    /** Of a renewal or a release. */
    OK,
    TIMEOUT,
    LEASE_EXPIRED,
    NOT_ENQUEUED,
    ERROR,
    /** The connection ended, or the client stopped waiting, before there was an answer. */
    NONE;

    static Answer of(String line) {
        if (line.startsWith("acquired ") || line.matches("ok [0-9a-f]{32} [0-9]+")) {
            return GRANTED;
        }
        if (line.equals("ok") || line.startsWith("ok ")) {
            return OK;
        }
        return switch (line) {
            case "queued" -> QUEUED;
            case "timeout" -> TIMEOUT;
            case "error_lease_expired" -> LEASE_EXPIRED;
            case "error_not_enqueued" -> NOT_ENQUEUED;
            default -> ERROR;
        };
    }
}
