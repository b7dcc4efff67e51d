package io.flockgate.storage.consul.rules;

import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvList;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Checks that fences rise. The index of a grant must be above every index that was seen before its
 * transaction was sent. If it is not, Consul's data were restored into a cluster with a lower
 * index, and no fence can be trusted. Thread safe.
 */
public final class FenceGuard {
    private final long base;
    private final AtomicLong highest = new AtomicLong();
    private final AtomicLong highestBelowBase = new AtomicLong();
    private volatile boolean fellBack;

    /**
     * @param base the number added to an index to form a fence
     */
    public FenceGuard(long base) {
        this.base = base;
    }

    /** Records an index of an entry. */
    public void seen(long index) {
        raise(highest, index);
    }

    /** Records a read of everything below the base. */
    public void seenBelowBase(KvList list) {
        seen(list.index(), false);
    }

    /**
     * Records an index.
     *
     * @param mapped whether it belongs to a mapped key, which is not below the base
     */
    public void seen(long index, boolean mapped) {
        seen(index);
        if (!mapped) {
            raise(highestBelowBase, index);
        }
    }

    private static void raise(AtomicLong highest, long index) {
        highest.accumulateAndGet(index, (one, other) -> Long.compareUnsigned(one, other) > 0 ? one : other);
    }

    /**
     * The highest index of an entry below the base that this gateway has seen; 0 when it has seen
     * none.
     */
    public long highestBelowBase() {
        return highestBelowBase.get();
    }

    /**
     * Requires all later fences to be above this one, which another gateway or an earlier process
     * has seen.
     */
    public void requireAbove(long fence) {
        if (Long.compareUnsigned(fence, base) > 0) {
            seen(fence - base);
        }
    }

    /** The highest fence that this gateway has seen, unsigned; 0 when it has seen none. */
    public long highestFence() {
        long index = highest.get();
        return index == 0 ? 0 : fence(index);
    }

    /** The highest index seen; 0 for none. */
    public long highest() {
        return highest.get();
    }

    /**
     * Whether the fence of a grant at this index rises above {@code before}, the highest index when
     * the grant was sent.
     */
    public boolean rises(long index, long before) {
        boolean rises = Long.compareUnsigned(index, before) > 0;
        fellBack |= !rises;
        seen(index);
        return rises;
    }

    /** The fence of a grant at this index. */
    public long fence(long index) {
        return base + index;
    }

    /** Whether an entry with this index is newer than the grant with this fence. */
    public boolean isAfter(long index, long fence) {
        return Long.compareUnsigned(fence(index), fence) > 0;
    }

    /**
     * Does nothing while fences rise.
     *
     * @throws ConsulException when fences do not rise
     */
    public void requireRising() {
        whyUnsafe().ifPresent(reason -> {
            throw new ConsulException(FailureKind.INVALID, Effect.NOT_DONE, reason);
        });
    }

    /** The steps by which an operator puts all later fences above this one. */
    static String remedy(long fence) {
        return "To continue with this Consul, stop all gateways, delete the record of the cluster,"
                + " and start them with --consul-fence-base " + Long.toUnsignedString(fence) + " or more";
    }

    /** The reason why no fence can be trusted; empty when all can. */
    public Optional<String> whyUnsafe() {
        return fellBack ? Optional.of("Consul's index has gone back. " + remedy(fence(highest()))) : Optional.empty();
    }
}
