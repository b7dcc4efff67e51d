package io.flockgate.gateway.http;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;

/** An answer that is sent in parts until it is ended. On its connection's event loop only. */
public final class StreamReply {
    private final Responder responder;
    private final boolean last;
    private boolean ended;

    /**
     * @param last whether the connection ends with the answer
     */
    StreamReply(Responder responder, boolean last) {
        this.responder = responder;
        this.last = last;
    }

    /**
     * Writes a part. The future completes when it has left. Write the next one only then, so that a
     * slow client does not fill the memory.
     */
    public Future<Void> write(Buffer part) {
        return ended ? hasEnded() : responder.writePart(part);
    }

    private static Future<Void> hasEnded() {
        return Future.failedFuture("the answer has ended");
    }

    /** Ends the answer, unless the client has disconnected. */
    @CanIgnoreReturnValue
    public Future<Void> end() {
        if (ended) {
            return hasEnded();
        }
        ended = true;
        return responder.endParts(last);
    }
}
