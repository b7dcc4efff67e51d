package io.flockgate.storage.memory.fence;

import java.io.Closeable;
import java.io.IOException;

/** What keeps the ceiling of a fence counter over restarts. Thread safe. */
interface CeilingStore extends Closeable {
    /** The durable ceiling, unsigned; 0 when there is none. */
    long ceiling();

    /** Returns only once {@code ceiling}, which must be greater than {@link #ceiling()}, is durable. */
    void raise(long ceiling) throws IOException;

    /** Waits for a raise under way. Later raises fail. Idempotent. */
    @Override
    void close() throws IOException;
}
