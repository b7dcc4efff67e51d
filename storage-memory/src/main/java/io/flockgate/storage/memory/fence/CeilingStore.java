package io.flockgate.storage.memory.fence;

import java.io.Closeable;
import java.io.IOException;

/** Keeps the fence ceiling across restarts. Thread safe. */
public interface CeilingStore extends Closeable {
    /** The durable ceiling, unsigned; 0 when there is none. No fence above it has been issued. */
    long ceiling();

    /**
     * Returns only once {@code ceiling}, which must be greater than {@link #ceiling()}, is durable.
     * May block.
     */
    void raise(long ceiling) throws IOException;

    /** This store combined with another, which may have had a higher ceiling before. */
    default CeilingStore and(CeilingStore other) {
        return new BothCeilings(this, other);
    }
}
