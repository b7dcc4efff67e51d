package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.api.KvList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The newest read of a key that watches have made and the key's thread has not taken in. Thread safe. */
final class PendingRead {
    private final AtomicReference<@Nullable Read> newest = new AtomicReference<>();

    /**
     * One read by a watch.
     *
     * @param ofAll whether the watch is that of all keys, so that the index is theirs
     * @param restarted whether the indexes may have begun anew
     */
    record Read(KvList list, boolean ofAll, boolean restarted) {
        /** The one of two with the higher index, unless their indexes cannot be compared. */
        private Read newer(Read other) {
            Read newer = !other.restarted && list.index() > other.list.index() ? this : other;
            return new Read(newer.list, newer.ofAll, restarted || other.restarted);
        }
    }

    /** True when there was none: then the caller has to make sure that the key's thread takes this one. */
    boolean put(Read read) {
        return newest.getAndUpdate(last -> last == null ? read : last.newer(read)) == null;
    }

    /** Takes the read out; null when there is none. */
    @Nullable
    Read take() {
        return newest.getAndSet(null);
    }

    /** What the key's own watch has read, left here to be taken in its turn; null when there is none. */
    @Nullable
    KvList peek() {
        Read read = newest.get();
        return read == null || read.ofAll() || read.restarted() ? null : read.list();
    }
}
