package io.flockgate.storage;

import io.flockgate.storage.ClaimOutcome.Refusal;
import java.util.Objects;

/**
 * A request for one slot of a key.
 *
 * @param kind the kind that the claimant expects of the key
 * @param limit the limit that the claimant expects of the key; 1 for a lock
 * @param leaseSeconds the seconds for which the grant lasts unless renewed, from 1 to {@link
 *     #MAX_SECONDS}
 * @param mayQueue true to queue when no slot is free; false to be refused as {@link Refusal#BUSY}
 */
public record Claim(Key key, Kind kind, long limit, long leaseSeconds, boolean mayQueue) {
    /**
     * The longest lease or wait: the maximum number of whole seconds in a signed 64-bit number of
     * nanoseconds.
     */
    public static final long MAX_SECONDS = 9_223_372_036L;

    public Claim {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(kind, "kind");
        if (limit < 1 || (kind == Kind.LOCK && limit != 1)) {
            throw new IllegalArgumentException("limit " + limit + " of a " + kind);
        }
        if (leaseSeconds < 1 || leaseSeconds > MAX_SECONDS) {
            throw new IllegalArgumentException("lease of " + leaseSeconds + " s");
        }
    }
}
