package io.flockgate.gateway.tcp;

/**
 * The faults of a frame that is not a valid request. The connection continues. Only logs
 * distinguish the faults.
 */
enum FrameFault {
    INVALID_COMMAND(3),
    INVALID_NUMBER(4),
    INVALID_KEY(5),
    INVALID_TIMEOUT(6),
    EMPTY_TOKEN(7),
    WRONG_FIELD_COUNT(8),
    INVALID_LEASE(9),
    INVALID_LIMIT(13);

    private final int code;

    FrameFault(int code) {
        this.code = code;
    }

    /** The number that identifies the fault in logs, as in dflockd's. */
    int code() {
        return code;
    }
}
