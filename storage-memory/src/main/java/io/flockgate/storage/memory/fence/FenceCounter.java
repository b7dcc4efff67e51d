package io.flockgate.storage.memory.fence;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The counter of all fences: unsigned 64 bits, rising by one, never above its ceiling. Thread safe;
 * issuing takes no lock and does no I/O.
 *
 * <p>Invariant: {@code issued <= ceiling}, and both only rise. With a state file, a ceiling is set
 * here only once it is durable there, so the durable ceiling is at or above every fence ever
 * issued.
 */
final class FenceCounter implements AutoCloseable {
    /** The step by which the ceiling rises. */
    static final long RANGE = 1L << 20;

    /** The number of remaining fences at which the next extension begins. */
    private static final long LOW = RANGE / 2;

    private final AtomicLong issued;
    private final @Nullable RangeExtender extender;
    private volatile long ceiling;

    @GuardedBy("this")
    private boolean closed;

    private FenceCounter(long seed, long ceiling, @Nullable RangeExtender extender) {
        this.issued = new AtomicLong(seed);
        this.ceiling = ceiling;
        this.extender = extender;
    }

    /** A counter from {@code seed} to the end of 64 bits, without a file. */
    static FenceCounter inMemory(long seed) {
        return new FenceCounter(seed, -1L, null);
    }

    /**
     * A counter from the greater of the file's ceiling and {@code seed}. Makes a first range
     * durable. Takes ownership of the extender, and closes it on failure too.
     *
     * @throws IOException when the first range cannot be made durable, or does not fit into 64 bits
     */
    static FenceCounter durable(long seed, RangeExtender extender) throws IOException {
        try {
            long recovered = recovered(seed, extender);
            return new FenceCounter(recovered, extender.extend(recovered), extender);
        } catch (IOException | RuntimeException e) {
            try (extender) {
                throw e;
            }
        }
    }

    /**
     * As {@link #durable}, but if the first range cannot be made durable, the counter begins
     * without fences and retries.
     */
    static FenceCounter retrying(long seed, RangeExtender extender) {
        long recovered = recovered(seed, extender);
        FenceCounter counter = new FenceCounter(recovered, recovered, extender);
        try {
            counter.raiseTo(extender.extend(recovered));
        } catch (IOException e) {
            counter.requestExtension();
        }
        return counter;
    }

    private static long recovered(long seed, RangeExtender extender) {
        long stored = extender.durableCeiling();
        return Long.compareUnsigned(stored, seed) > 0 ? stored : seed;
    }

    /** The next fence, or 0 when there is currently none up to the ceiling. */
    long nextFence() {
        while (true) {
            // Read in this order: the ceiling is at or above every number issued before it is read.
            long last = issued.get();
            long left = ceiling - last;
            if (left == 0) {
                requestExtension();
                return 0;
            }
            if (issued.compareAndSet(last, last + 1)) {
                if (Long.compareUnsigned(left, LOW) <= 0) {
                    requestExtension();
                }
                return last + 1;
            }
        }
    }

    private void requestExtension() {
        if (extender != null) {
            extender.request(this);
        }
    }

    /** The number of fences that can be issued before the ceiling must rise; unsigned. */
    long left() {
        long last = issued.get();
        return ceiling - last;
    }

    long ceiling() {
        return ceiling;
    }

    /** Raises the ceiling to {@code durable}, unless closed. */
    synchronized void raiseTo(long durable) {
        if (!closed) {
            ceiling = durable;
        }
    }

    /** The reason why no fence can be issued now; empty when one can. */
    synchronized Optional<String> failureReason() {
        if (left() != 0) {
            return Optional.empty();
        }
        if (closed) {
            return Optional.of("the fence counter is closed");
        }
        return Optional.of(extender == null ? "all 64-bit fences have been issued" : extender.failureReason());
    }

    /**
     * Makes every later call of {@link #nextFence} return 0, because another process may continue
     * from the ceiling. Idempotent.
     */
    @Override
    public void close() throws IOException {
        synchronized (this) {
            closed = true;
            issued.set(ceiling);
        }
        if (extender != null) {
            extender.close();
        }
    }
}
