package io.flockgate.client;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One held permit of a {@link LeaseSemaphore}, renewed until it is released or lost. Safe from any
 * thread.
 */
public final class LeasePermit implements AutoCloseable {
    private final Lease lease;
    private final LeaseGrant grant;
    private final AtomicBoolean ended = new AtomicBoolean();

    LeasePermit(Lease lease, LeaseGrant grant) {
        this.lease = lease;
        this.grant = grant;
    }

    /**
     * The grant behind the permit, with its fence, its remaining time, and the notification of its
     * loss.
     */
    public LeaseGrant grant() {
        return grant;
    }

    /** Returns whether the permit is held now, without waiting. */
    public boolean isAlive() {
        return grant.isAlive();
    }

    /**
     * Releases the permit, and waits for the server's answer, even if interrupted, at most for the
     * request timeout. A second call does nothing.
     *
     * @throws LeaseLostException if the permit was lost before. Another process may have used its
     *     place at the same time
     * @throws LeaseReleaseException if the server did not confirm it. The permit is free by the
     *     time its lease expires
     */
    public void release() {
        if (!ended.compareAndSet(false, true)) {
            return;
        }
        boolean lost = !grant.isAlive();
        try {
            Stages.awaitUninterruptibly(lease.release());
        } finally {
            lease.closeAsync();
        }
        if (lost) {
            throw LeaseLostException.of(lease.name(), grant, null);
        }
    }

    /**
     * Like {@link #release()}, but throws nothing: a failure to reach the server is logged, and a
     * loss is not reported.
     */
    @Override
    public void close() {
        if (ended.compareAndSet(false, true)) {
            Stages.releaseQuietly(lease);
            lease.closeAsync();
        }
    }
}
