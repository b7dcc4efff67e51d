package io.flockgate.gateway.stats;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;

/** A long text that is generated part by part. On one thread. */
public interface Document {
    /** Whether there is another part. */
    boolean hasNext();

    /**
     * The next part, which may be empty. Must not be called after the last. The future completes on
     * any thread.
     */
    Future<Buffer> next();
}
