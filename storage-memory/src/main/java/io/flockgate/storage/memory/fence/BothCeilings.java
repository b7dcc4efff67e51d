package io.flockgate.storage.memory.fence;

import java.io.IOException;

/** Two stores of one ceiling. */
record BothCeilings(CeilingStore first, CeilingStore second) implements CeilingStore {
    @Override
    public long ceiling() {
        long one = first.ceiling();
        long other = second.ceiling();
        return Long.compareUnsigned(one, other) > 0 ? one : other;
    }

    /** The second store may have failed where the first one succeeded. */
    @Override
    public void raise(long ceiling) throws IOException {
        raise(first, ceiling);
        raise(second, ceiling);
    }

    private static void raise(CeilingStore store, long ceiling) throws IOException {
        if (Long.compareUnsigned(ceiling, store.ceiling()) > 0) {
            store.raise(ceiling);
        }
    }

    @Override
    public void close() throws IOException {
        try (second) {
            first.close();
        }
    }
}
