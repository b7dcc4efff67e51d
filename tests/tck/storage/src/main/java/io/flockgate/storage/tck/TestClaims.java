package io.flockgate.storage.tck;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;

/** Makes the claims of the cases, which queue and have leases longer than the test by default. */
final class TestClaims {
    /** Longer than any case takes. */
    static final long LASTING = 1_000_000;

    private TestClaims() {}

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
