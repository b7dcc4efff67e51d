package io.flockgate.gateway.stats;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;

/** A text that is made part by part, because it may be long. On one thread. */
public interface Document {
    /** Whether it goes on. */
    boolean hasNext();

    /** The next part: empty at times, and not to be asked for after the last. Completes on any thread. */
    Future<Buffer> next();
}
