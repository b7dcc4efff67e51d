package io.flockgate.storage.memory.journal;

import io.flockgate.storage.rules.Holder;
import io.vertx.core.Future;

/** A grant that outlives the process, from the moment at which it is made in memory. */
final class KeptGrant {
    final Holder holder;

    /** Completes once the grant is durable, or fails once it has been ended because it is not. */
    final Future<Void> durable;

    /**
     * The longest lease that the journal contains, or will contain before a client relies on it.
     * Never falls.
     */
    private volatile long leaseSeconds;

    KeptGrant(Holder holder, long leaseSeconds, Future<Void> durable) {
        this.holder = holder;
        this.leaseSeconds = leaseSeconds;
        this.durable = durable;
    }

    long leaseSeconds() {
        return leaseSeconds;
    }

    synchronized void lengthen(long seconds) {
        leaseSeconds = Math.max(leaseSeconds, seconds);
    }
}
