package io.flockgate.gateway.tcp;

import io.flockgate.gateway.net.Wire;

/** Whether a socket is read: not while its client takes no replies, nor while it has sent too far ahead. For its event loop only. */
final class ReadGate {
    private final Wire wire;

    /** Replies wait for the client to take those before them. */
    private boolean unsent;

    /** More has come than is kept while a request is carried out. */
    private boolean farAhead;

    ReadGate(Wire wire) {
        this.wire = wire;
    }

    /** Reads no more until what was written has left. */
    void awaitDrained() {
        unsent = true;
        readOrPause();
        wire.onDrained(() -> {
            unsent = false;
            readOrPause();
        });
    }

    void farAhead() {
        farAhead = true;
        readOrPause();
    }

    void caughtUp() {
        if (farAhead) {
            farAhead = false;
            readOrPause();
        }
    }

    private void readOrPause() {
        wire.read(!unsent && !farAhead);
    }
}
