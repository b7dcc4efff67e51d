package io.flockgate.storage.memory.fence;

import io.flockgate.storage.rules.TokenGenerator;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Fences for tests that use them up faster than a disk may sync. */
final class Fences {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private Fences() {}

    static long await(FenceCounter counter) {
        return await(counter::nextFence);
    }

    static long await(TokenGenerator tokens) {
        return await(tokens::nextFence);
    }

    private static long await(LongSupplier source) {
        long fence = source.getAsLong();
        if (fence != 0) {
            return fence;
        }
        long start = System.nanoTime();
        while (fence == 0) {
            if (System.nanoTime() - start > PATIENCE_NANOS) {
                throw new AssertionError("no fence became available");
            }
            Thread.onSpinWait();
            fence = source.getAsLong();
        }
        return fence;
    }
}
