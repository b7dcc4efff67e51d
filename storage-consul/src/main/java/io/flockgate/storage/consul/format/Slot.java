package io.flockgate.storage.consul.format;

import io.flockgate.storage.consul.kv.KvEntry;
import org.jspecify.annotations.Nullable;

/**
 * A slot that is held, or whose session has ended without a release.
 *
 * @param session the holder's session; empty for a lock whose session has ended
 * @param entry the holder's key: the lock itself, or the contender key of a semaphore's holder
 * @param mark null when other software made this grant
 */
public record Slot(String session, KvEntry entry, @Nullable HolderMark mark) {
    /** The index of the grant. */
    public long fenceIndex() {
        return mark != null && mark.fenceIndex() != 0 ? mark.fenceIndex() : entry.modifyIndex();
    }

    /**
     * Whether the session has ended. The slot is then no longer held, but its former holder may not
     * know that yet.
     */
    public boolean hasEnded() {
        return entry.session() == null;
    }

    /**
     * Whether the grant outlives its gateway. Its holder may rely on the slot even after its
     * session has ended, because no gateway may have been able to notify it.
     */
    public boolean isDetached() {
        return mark != null && mark.isDetached();
    }

    /** Whether this is a held lock, and not a slot of a semaphore. */
    public boolean isLock(KeyPath path) {
        return entry.key().equals(path.lock());
    }

    /**
     * Whether this is the grant of the token with these two halves. The end of a session changes
     * the entry. If the grant had never been renewed, its fence is then no longer known.
     */
    public boolean isOf(long fence, long salt, long fenceBase) {
        if (mark == null || !mark.isOf(salt)) {
            return false;
        }
        boolean fenceKnown = !hasEnded() || mark.fenceIndex() != 0;
        return !fenceKnown || fenceBase + fenceIndex() == fence;
    }

    /** Whether this is the grant that was made with this nonce. */
    public boolean isOf(String nonce) {
        return mark != null && mark.nonce().equals(nonce);
    }
}
