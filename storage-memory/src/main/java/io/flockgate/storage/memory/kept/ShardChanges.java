package io.flockgate.storage.memory.kept;

import io.flockgate.storage.Claimant;
import io.flockgate.storage.rules.Holder;
import io.flockgate.storage.rules.Waiter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The kept grants that one call of a shard makes and ends, in their order. Guarded by the shard. It
 * hands them to the journal before the monitor is released, so that the end of a grant is never
 * recorded before the grant, nor after the next grant of the slot.
 */
public final class ShardChanges {
    private final KeptGrants grants;
    private final List<byte[]> records = new ArrayList<>();
    private final List<@Nullable KeptGrant> waiting = new ArrayList<>();
    private @Nullable KeptGrant last;

    ShardChanges(KeptGrants grants) {
        this.grants = grants;
    }

    /** Whether a grant of this claimant could be made durable now, if it must be. */
    public boolean canHold(Claimant claimant) {
        return grants.canHold(claimant);
    }

    /** Whether the grant outlives the process. */
    public boolean keeps(Holder holder) {
        return KeptGrants.keeps(holder.claimant());
    }

    public void held(Holder holder) {
        byte[] memo = holder.claimant().memo();
        last = null;
        if (memo != null) {
            KeptGrant grant = grants.made(holder);
            last = grant;
            records.add(record(holder, grant, memo));
            waiting.add(grant);
        }
    }

    private static byte[] record(Holder holder, KeptGrant grant, byte[] memo) {
        long limit = switch (holder.kind()) {
            case LOCK -> 0;
            case SEMAPHORE -> holder.state().limit();
        };
        return new GrantRecord(
                        holder.token(),
                        grant.leaseSeconds(),
                        System.currentTimeMillis(),
                        holder.key(),
                        limit,
                        Memo.of(memo))
                .encode();
    }

    /**
     * The grant with which {@link #held} was last called; null if that grant ends with the process.
     */
    public @Nullable KeptGrant last() {
        return last;
    }

    /**
     * A waiter got the grant with which {@link #held} was just called.
     *
     * @return whether the waiter will be notified once the grant is durable; otherwise the shard
     *     must notify it
     */
    public boolean promoted(Waiter waiter) {
        KeptGrant grant = last;
        if (grant == null) {
            return false;
        }
        grant.promotes(waiter);
        return true;
    }

    public void ended(Holder holder) {
        if (keeps(holder)) {
            grants.ended(holder);
            records.add(Changes.end(holder.fence()));
            waiting.add(null);
        }
    }

    /** Ends a call and hands its changes to the journal. */
    public void settle() {
        if (!records.isEmpty()) {
            List<byte[]> all = List.copyOf(records);
            List<@Nullable KeptGrant> grantsOfAll = new ArrayList<>(waiting);
            records.clear();
            waiting.clear();
            grants.append(all, grantsOfAll);
        }
    }
}
