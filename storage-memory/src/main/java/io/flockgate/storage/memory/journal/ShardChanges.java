package io.flockgate.storage.memory.journal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.flockgate.storage.Claimant;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.memory.journal.KeptGrants.KeptGrant;
import io.flockgate.storage.rules.Holder;
import io.flockgate.storage.rules.Waiter;
import io.vertx.core.Promise;
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
    private final Journal journal;
    private final List<Journal.Entry> entries = new ArrayList<>();
    private @Nullable KeptGrant last;

    ShardChanges(KeptGrants grants, Journal journal) {
        this.grants = grants;
        this.journal = journal;
    }

    /** Whether a grant of this claimant could be made durable now, if it must be. */
    public boolean canHold(Claimant claimant) {
        return claimant.memo() == null || grants.whyRefused().isEmpty();
    }

    /** Whether the grant outlives the process. */
    public boolean keeps(Holder holder) {
        return holder.claimant().memo() != null;
    }

    public void held(Holder holder) {
        byte[] memo = holder.claimant().memo();
        last = null;
        if (memo != null) {
            Promise<Void> written = Promise.promise();
            last = grants.made(holder, written.future());
            entries.add(journal.entry(record(holder, last.leaseSeconds(), memo), written));
        }
    }

    private static byte[] record(Holder holder, long leaseSeconds, byte[] memo) {
        long limit = switch (holder.kind()) {
            case LOCK -> 0;
            case SEMAPHORE -> holder.state().limit();
        };
        return new GrantRecord(
                        holder.token(),
                        leaseSeconds,
                        System.currentTimeMillis(),
                        holder.key(),
                        limit,
                        new String(memo, ISO_8859_1))
                .encode();
    }

    /**
     * A waiter got the grant with which {@link #held} was just called.
     *
     * @return whether the waiter will be notified once the grant is durable; otherwise the shard
     *     must notify it
     */
    public boolean promoted(Waiter waiter, Holder holder) {
        if (last == null) {
            return false;
        }
        last.durable.onComplete(
                written -> waiter.claimant().granted(waiter, holder),
                cause -> waiter.claimant().failed(waiter, (StorageException) cause));
        return true;
    }

    public void ended(Holder holder) {
        if (keeps(holder)) {
            grants.ended(holder);
            entries.add(journal.entry(Changes.end(holder.fence()), null));
        }
    }

    /** Ends a call and hands its changes to the journal. */
    public void settle() {
        if (!entries.isEmpty()) {
            List<Journal.Entry> all = List.copyOf(entries);
            entries.clear();
            journal.append(all);
        }
    }
}
