package io.flockgate.gateway.tcp;

/** The next step of a connection. */
enum Phase {
    /** The first frame must carry the token. */
    AUTHENTICATING,
    /** Frames are carried out as they come. */
    READY,
    /**
     * A request is being carried out by the loop over the frames, which continues with its reply.
     */
    CARRYING_OUT,
    /** A request was not answered at once. The frames after it wait for its reply. */
    WAITING,
    /**
     * The last reply has been written. The connection closes when the reply has left, or a little
     * later. Input is discarded.
     */
    ENDING,
    CLOSED
}
