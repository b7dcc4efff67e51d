package io.flockgate.gateway.tcp;

import io.flockgate.gateway.net.Wire;

/**
 * Pauses the reading of a socket while its client reads no replies, or has sent too far ahead. On
 * its event loop only. Vert.x's own pause has no effect here, because {@link Wire} takes the bytes
 * before Vert.x does.
 */
final class ReadGate {
    private final Wire wire;

    /** Whether replies wait for the client to read those before them. */
    private boolean unsent;

    /** Whether the client has sent more than is kept while a request is carried out. */
    private boolean farAhead;

    ReadGate(Wire wire) {
        this.wire = wire;
    }

    /** Pauses reading until what was written has left. */
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
