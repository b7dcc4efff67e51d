package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.consul.layout.KeyType;
import io.flockgate.storage.consul.layout.KeyView;
import io.flockgate.storage.consul.layout.Slot;
import org.jspecify.annotations.Nullable;

/** The rules that decide whether a claim fits a key, and whether a slot is free for it. Pure. */
final class ClaimRules {
    private ClaimRules() {}

    /** The reason why the claim does not fit the key's type or limit; null when it fits. */
    static @Nullable Refusal mismatch(KeyView view, Claim claim) {
        KeyType type = view.type().orElse(null);
        if (claim.kind() == Kind.LOCK && view.isEmptiedSemaphore()) {
            return Refusal.KIND_MISMATCH;
        }
        return switch (type) {
            case null -> null;
            case KeyType.Foreign foreign -> Refusal.KIND_MISMATCH;
            case KeyType.Known known -> {
                if (known.kind() != claim.kind()) {
                    yield Refusal.KIND_MISMATCH;
                }
                yield known.limit() == claim.limit() ? null : Refusal.LIMIT_MISMATCH;
            }
        };
    }

    /**
     * Whether the claim would get a slot without a release, and the semaphore would then have too many holders.
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
