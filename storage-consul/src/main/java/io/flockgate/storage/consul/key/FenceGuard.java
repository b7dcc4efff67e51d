package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.ConsulException.Effect;
import io.flockgate.storage.consul.api.ConsulException.FailureKind;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes sure that fences rise. A grant's index must be above every index seen before its transaction was sent. If it is not,
 * Consul's data were restored into a cluster that counts from a lower number, and no fence can be trusted. Thread safe.
 */
final class FenceGuard {
    private final long base;
    private final AtomicLong highest = new AtomicLong();
    private volatile boolean fellBack;

    FenceGuard(long base) {
        this.base = base;
    }

    void seen(long index) {
        highest.accumulateAndGet(index, Math::max);
    }

    long highest() {
        return highest.get();
    }

    /** Whether a grant may be told that was made at this index by what was sent when {@code before} was the highest. */
    boolean rises(long index, long before) {
        boolean rises = Long.compareUnsigned(index, before) > 0;
        fellBack |= !rises;
        seen(index);
        return rises;
    }

    long fence(long index) {
        return base + index;
    }

    /** Whether what has this index came after the grant with this fence. */
    boolean isAfter(long index, long fence) {
        return Long.compareUnsigned(fence(index), fence) > 0;
    }

    /**
     * Passes while fences rise.
     *
     * @throws ConsulException when they do not
     */
    void requireRising() {
        whyUnsafe().ifPresent(reason -> {
            throw new ConsulException(FailureKind.INVALID, Effect.NOT_DONE, reason);
        });
    }

    boolean rise() {
        return !fellBack;
    }

    /** Why no fence can be trusted; empty when all can. */
    Optional<String> whyUnsafe() {
        return fellBack
                ? Optional.of("Consul's index has gone back: set --consul-fence-base to more than " + fence(highest())
                        + " and start again")
                : Optional.empty();
    }
}
