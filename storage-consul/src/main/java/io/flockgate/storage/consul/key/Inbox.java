package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.api.KvList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The newest of what watches have found of a key and nobody has taken in. Thread safe. */
final class Inbox {
    private final AtomicReference<@Nullable News> newest = new AtomicReference<>();

    /**
     * What a watch has found.
     *
     * @param ofAll whether it is the watch of all keys, whose index it has
     * @param restarted whether the indexes may have begun anew
     */
    record News(KvList list, boolean ofAll, boolean restarted) {
        /** Of two, the one with the higher index, unless indexes cannot be compared. */
        private News newer(News other) {
            News newer = !other.restarted && list.index() > other.list.index() ? this : other;
            return new News(newer.list, newer.ofAll, restarted || other.restarted);
        }
    }

    /** True when there was nothing: it is for the caller to see to it that somebody takes it. */
    boolean put(News fresh) {
        return newest.getAndUpdate(last -> last == null ? fresh : last.newer(fresh)) == null;
    }

    /** The newest, which is gone then; null when there is none. */
    @Nullable
    News take() {
        return newest.getAndSet(null);
    }

    /** What a watch of this key alone has found, left where it is: the whole of it is compared in its turn. */
    @Nullable
    KvList look() {
        News found = newest.get();
        return found == null || found.ofAll() || found.restarted() ? null : found.list();
    }
}
