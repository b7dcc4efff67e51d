package io.flockgate.gateway.tcp;

/** What a connection does next. */
enum Phase {
    /** The first frame must carry the token. */
    AUTHENTICATING,
    /** Frames are carried out as they come. */
    READY,
    /** A request has not been answered yet. */
    WAITING,
    /**
     * The last reply has been written. The connection closes when the reply has left, or a little
     * later. Input is discarded.
     */
    ENDING,
    CLOSED
}
