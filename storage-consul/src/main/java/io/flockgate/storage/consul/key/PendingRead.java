package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.kv.KvList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The newest read by a watch that the key's thread has not handled yet. Thread safe. */
final class PendingRead {
    private final AtomicReference<@Nullable Read> newest = new AtomicReference<>();

    /**
     * One read by a watch.
     *
     * @param ofAll whether the watch covers all keys, so that the index is not that of this key
     *     alone
     * @param restarted whether the indexes may have restarted
     */
    record Read(KvList list, boolean ofAll, boolean restarted) {
        /** The read with the higher index, or the later one if the indexes cannot be compared. */
        private Read newer(Read other) {
            Read newer = !other.restarted && list.index() > other.list.index() ? this : other;
            return new Read(newer.list, newer.ofAll, restarted || other.restarted);
        }
    }

    /**
     * Stores a read. Returns true when there was none, in which case the caller must make the key's
     * thread take it.
     */
    boolean put(Read read) {
        return newest.getAndUpdate(last -> last == null ? read : last.newer(read)) == null;
    }

    /** Removes and returns the read; null when there is none. */
    @Nullable
    Read take() {
        return newest.getAndSet(null);
    }

    /** The read of the key's own watch, which stays here; null when there is none. */
    @Nullable
    KvList peek() {
        Read read = newest.get();
        return read == null || read.ofAll() || read.restarted() ? null : read.list();
    }
}
