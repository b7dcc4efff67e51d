package io.flockgate.client;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One held permit of a {@link LeaseSemaphore}. Renewed until it is given back or lost. Safe from
 * any thread.
 */
public final class LeasePermit implements AutoCloseable {
    private final Lease lease;
    private final Grant grant;
    private final AtomicBoolean ended = new AtomicBoolean();

    LeasePermit(Lease lease, Grant grant) {
        this.lease = lease;
        this.grant = grant;
    }

    /** The grant behind the permit: its fence, its remaining time, and the news of its loss. */
    public Grant grant() {
        return grant;
    }

    /** Tells whether the permit is held now. Without a wait. */
    public boolean isAlive() {
        return grant.isAlive();
    }

    /**
     * Gives the permit back, and waits for the server's answer through interrupts, at most for the
     * request timeout. A second call does nothing.
     *
     * @throws LeaseLostException if the permit was lost before. Another process may have used its
     *     place at the same time
     * @throws LeaseReleaseException if the server could not be told. The permit is free after its
     *     time at the latest
     */
    public void release() {
        if (!ended.compareAndSet(false, true)) {
            return;
        }
        boolean lost = !grant.isAlive();
        try {
            Waits.awaitUninterruptibly(lease.release());
        } finally {
            lease.closeAsync();
        }
        if (lost) {
            throw LeaseLostException.of(lease.name(), null);
        }
    }

    /**
     * Like {@link #release()}, and throws nothing: a failure to tell the server is logged, and a
     * loss is not told.
     */
    @Override
    public void close() {
        if (ended.compareAndSet(false, true)) {
            Waits.releaseQuietly(lease);
            lease.closeAsync();
        }
    }
}
