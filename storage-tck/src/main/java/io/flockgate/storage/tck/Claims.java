package io.flockgate.storage.tck;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;

/** Short names for the claims that the cases make: they queue, and their lease outlives the test unless said. */
final class Claims {
    /** Longer than any case takes. */
    static final long LASTING = 1_000_000;

    private Claims() {}

    static Claim lock(Key key) {
        return new Claim(key, Kind.LOCK, 1, LASTING, true);
    }

    static Claim semaphore(Key key, long limit) {
        return new Claim(key, Kind.SEMAPHORE, limit, LASTING, true);
    }

    static Claim lasting(long seconds, Claim claim) {
        return new Claim(claim.key(), claim.kind(), claim.limit(), seconds, claim.mayQueue());
    }

    static Claim notQueueing(Claim claim) {
        return new Claim(claim.key(), claim.kind(), claim.limit(), claim.leaseSeconds(), false);
    }
}
