package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Ticket;
import org.jspecify.annotations.Nullable;

/** A waiter of this gateway. Its place in Consul has a name, which changes if the place is lost and taken anew. */
final class LocalWaiter implements Ticket {
    private final Claim claim;
    private final Claimant claimant;
    private final long queuedAtNanos;
    private volatile String name;

    /** What its ticket offers. The rest is for the key's own thread only. */
    private @Nullable Candidate offer;

    /** The highest index that this gateway had seen before it queued. */
    private long seenBefore;

    LocalWaiter(Claim claim, Claimant claimant, String name, long now) {
        this.claim = claim;
        this.claimant = claimant;
        this.name = name;
        this.queuedAtNanos = now;
    }

    @Override
    public Key key() {
        return claim.key();
    }

    Claim claim() {
        return claim;
    }

    Claimant claimant() {
        return claimant;
    }

    long queuedAtNanos() {
        return queuedAtNanos;
    }

    String name() {
        return name;
    }

    void name(String ticket) {
        name = ticket;
    }

    @Nullable
    Candidate offer() {
        return offer;
    }

    long seenBefore() {
        return seenBefore;
    }

    void offer(@Nullable Candidate made, long seen) {
        offer = made;
        seenBefore = seen;
    }
}
