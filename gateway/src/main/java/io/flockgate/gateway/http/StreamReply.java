package io.flockgate.gateway.http;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.function.Function;

/**
 * An answer whose parts come one by one, until somebody ends it. On its connection's event loop
 * only.
 */
public final class StreamReply {
    private final Function<Buffer, Future<Void>> writer;
    private final Runnable ender;
    private boolean ended;

    /**
     * @param writer writes a part, or fails if the client has gone
     * @param ender ends the answer, unless the client has gone
     */
    StreamReply(Function<Buffer, Future<Void>> writer, Runnable ender) {
        this.writer = writer;
        this.ender = ender;
    }

    /**
     * Writes a part. The future completes when it has left. Write the next one then, so that a slow
     * client fills no memory.
     */
    public Future<Void> write(Buffer part) {
        return ended ? Future.failedFuture("the answer has ended") : writer.apply(part);
    }

    /** Ends the answer, unless the client has gone. */
    public void end() {
        if (!ended) {
            ended = true;
            ender.run();
        }
    }
}
