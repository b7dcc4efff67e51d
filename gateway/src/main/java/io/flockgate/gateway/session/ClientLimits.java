package io.flockgate.gateway.session;

import io.flockgate.storage.Capacity;
import io.flockgate.storage.Kind;
import org.jspecify.annotations.Nullable;

/**
 * The caps on what clients hold and enqueue, and the number of all enqueued claims. A claim counts
 * as enqueued until its wait takes it, even if it has been granted or its lease has recently ended.
 * Thread safe.
 */
public final class ClientLimits {
    private final long maxHoldersPerClient;
    private final long maxEnqueuedPerClient;
    private final Capacity enqueued;
    private final DetachedSlots detachedSlots = new DetachedSlots();
    private final Admission admission = new Admission();

    /** For each cap, 0 means none. */
    public ClientLimits(long maxHoldersPerClient, long maxEnqueued, long maxEnqueuedPerClient) {
        this.maxHoldersPerClient = Capacity.maximum(maxHoldersPerClient);
        this.maxEnqueuedPerClient = Capacity.maximum(maxEnqueuedPerClient);
        this.enqueued = new Capacity(maxEnqueued);
    }

    /** Whether the gateway accepts new claims. */
    public Admission admission() {
        return admission;
    }

    /**
     * The reason why a client with these grants may not claim a key of this kind; null if it may.
     */
    @Nullable
    ClientRefusal refusal(Kind kind, HeldGrants held) {
        if (admission.isDraining()) {
            return ClientRefusal.DRAINING;
        }
        return kind == Kind.SEMAPHORE && held.semaphoreSlots() >= maxHoldersPerClient
                ? ClientRefusal.MAX_HOLDERS_PER_CLIENT
                : null;
    }

    /**
     * The slots that detached clients hold. A detached client shares the cap on slots with the
     * others of its address.
     */
    DetachedSlots detachedSlots() {
        return detachedSlots;
    }

    /**
     * Counts one more enqueued claim of a client that already has this many. If a cap has been
     * reached, counts nothing and returns that cap; otherwise returns null.
     */
    @Nullable
    ClientRefusal reserveEnqueued(int own) {
        if (own >= maxEnqueuedPerClient) {
            return ClientRefusal.MAX_ENQUEUED_PER_CLIENT;
        }
        return enqueued.take() ? null : ClientRefusal.MAX_ENQUEUED;
    }

    /** The number of enqueued claims of all clients. */
    public long enqueued() {
        return enqueued.used();
    }

    void releaseEnqueued(int count) {
        enqueued.giveBack(count);
    }
}
