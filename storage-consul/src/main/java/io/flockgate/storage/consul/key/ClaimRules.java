package io.flockgate.storage.consul.key;

import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.Slot;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.consul.layout.Terms;
import org.jspecify.annotations.Nullable;

/** The rules that decide whether a claim fits a key, and whether a slot is free for it. Pure. */
final class ClaimRules {
    private ClaimRules() {}

    /** The reason why the claim does not fit the key's type or limit; null when it fits. */
    static @Nullable Refusal mismatch(KeyView view, Claim claim) {
        return switch (view.fit(Terms.kind(claim.kind()), claim.limit())) {
            case FITS -> null;
            case OTHER_KIND -> Refusal.KIND_MISMATCH;
            case OTHER_LIMIT -> Refusal.LIMIT_MISMATCH;
        };
    }

    /**
     * Whether the claim would get a slot without a release, and the semaphore would then have too
     * many holders.
     *
     * @param inFront the number of waiters that get their slots before
     * @param maxHolders 0 for no cap
     */
    static boolean exceedsHolders(KeyView view, Claim claim, int inFront, long maxHolders) {
        long before = view.slots().size() + (long) inFront;
        return claim.kind() == Kind.SEMAPHORE && maxHolders > 0 && before >= maxHolders && before < claim.limit();
    }

    /** Whether a slot is free for this claim, or will be when the given slot is freed. */
    static boolean hasRoom(KeyView view, Claim claim, @Nullable Slot freed) {
        return mismatch(view, claim) == null && view.slots().size() - (freed == null ? 0 : 1) < claim.limit();
    }
}
