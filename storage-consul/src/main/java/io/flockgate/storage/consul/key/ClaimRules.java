package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.StorageSettings.StorageLimits;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.Slot;
import io.flockgate.storage.consul.format.TicketMark.QueuedTicket;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rules on whether a claim fits a key, and whether a slot is free for it. Pure. */
final class ClaimRules {
    private ClaimRules() {}

    /** The reason why the claim does not fit the key's type or limit; null when it fits. */
    static @Nullable Refusal mismatch(KeyView view, Claim claim) {
        return switch (view.fit(claim.kind(), claim.limit())) {
            case FITS -> null;
            case OTHER_KIND -> Refusal.KIND_MISMATCH;
            case OTHER_LIMIT -> Refusal.LIMIT_MISMATCH;
        };
    }

    /**
     * The reason why the claim gets neither a slot nor a place in the queue; null when there is
     * none.
     *
     * @param inFront the number of waiters in front of the claim
     */
    static @Nullable Refusal refusal(KeyView view, Claim claim, int inFront, StorageLimits limits) {
        Refusal mismatch = mismatch(view, claim);
        if (mismatch != null) {
            return mismatch;
        }
        return isFull(inFront, limits) ? Refusal.MAX_WAITERS : null;
    }

    static boolean isFull(int waiting, StorageLimits limits) {
        return limits.maxWaiters() > 0 && waiting >= limits.maxWaiters();
    }

    /** The number of tickets in front of this one; 0 if the ticket no longer exists. */
    static int inFront(KeyView view, String ticket) {
        if (view.ticket(ticket).isEmpty()) {
            return 0;
        }
        List<QueuedTicket> queue = view.queue();
        int count = 0;
        while (count < queue.size() && !queue.get(count).name().equals(ticket)) {
            count++;
        }
        return count;
    }

    /** Whether a slot is free for this claim, and no claim waits for it. */
    static boolean isFree(KeyView view, Claim claim) {
        return view.head().isEmpty() && hasRoom(view, claim, null);
    }

    /** Whether a slot is free for this claim, or will be when the given slot is freed. */
    static boolean hasRoom(KeyView view, Claim claim, @Nullable Slot freed) {
        return mismatch(view, claim) != Refusal.KIND_MISMATCH && view.hasRoom(claim.limit(), freed);
    }
}
