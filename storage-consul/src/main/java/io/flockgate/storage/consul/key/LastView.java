package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.format.KeyPath;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.rules.FenceGuard;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The last view of one key. Also tracks which responses are older, whether other gateways change
 * the key, and how quickly the key changes hands. For one thread only, except {@link
 * #isQuickLock}.
 */
final class LastView {
    /**
     * The time after a change by another gateway during which the key is read before each write.
     */
    private static final long SHARED_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Environment environment;
    private final FenceGuard fences;
    private final KeyPath path;
    private final HandOvers handOvers = new HandOvers();
    private @Nullable KeyView view;

    /**
     * The lowest index of a response that is not out of date. A deposed leader may briefly send
     * lower ones.
     */
    private long minIndex;

    private boolean shared;
    private long sharedAt;

    LastView(Environment environment, FenceGuard fences, KeyPath path) {
        this.environment = environment;
        this.fences = fences;
        this.path = path;
    }

    /** The view; null when a write has made it out of date. */
    @Nullable
    KeyView get() {
        return view;
    }

    /** Whether a response with this index is at least as new as the view. */
    boolean isCurrent(long index) {
        return index >= minIndex;
    }

    /** Whether a response with this index is newer than the view. */
    boolean isNewer(long index) {
        return index > minIndex;
    }

    /**
     * Whether the key is a lock that has recently changed hands ten times a second. Thread safe.
     */
    boolean isQuickLock() {
        return handOvers.areQuick(environment.now());
    }

    /** Whether another gateway has recently changed the key. */
    boolean isShared() {
        shared &= environment.now() - sharedAt < SHARED_NANOS;
        return shared;
    }

    void changedByOthers() {
        shared = true;
        sharedAt = environment.now();
    }

    /** Records that a write may have changed the key in a way that this gateway does not know. */
    void outdated() {
        view = null;
    }

    /** Accepts the view of a read. */
    void read(KeyView fresh) {
        KeyView last = view;
        if (last != null && fresh.newestChange() > last.newestChange()) {
            changedByOthers();
        }
        fences.seen(fresh.newestChange(), path.mapped());
        minIndex = fresh.index();
        replace(last, fresh);
    }

    /** Accepts the view of a read of all keys. Its index may be that of another key's change. */
    void readWithOthers(KeyView fresh) {
        long before = minIndex;
        read(fresh);
        minIndex = Math.max(before, fresh.newestChange());
    }

    /**
     * Accepts the view after a write.
     *
     * @param complete whether it shows the changes by other gateways up to the write
     */
    void written(KeyView before, KeyView after, boolean complete) {
        replace(before, after);
        if (!complete) {
            outdated();
        }
        // Consul returns no index for a deletion. A read that shows the deletion has a higher index
        // than before.
        long written = after.index() > before.index() ? after.index() : before.index() + 1;
        minIndex = Math.max(minIndex, written);
        fences.seen(after.newestChange(), path.mapped());
    }

    /** Accepts the view after a write by another part of this gateway. */
    void writtenElsewhere(KeyView fresh) {
        minIndex = fresh.index();
        view = fresh;
    }

    private void replace(@Nullable KeyView last, KeyView fresh) {
        if (last != null && last.lockIndex() != fresh.lockIndex()) {
            handOvers.add(environment.now(), fresh.document() == null);
        }
        view = fresh;
    }

    /**
     * The last times at which the key changed hands. For one writing thread; any thread may read.
     */
    private static final class HandOvers {
        private static final int COUNT = 8;
        private static final long QUICK_NANOS = TimeUnit.MILLISECONDS.toNanos(800);

        /** In a ring. */
        private final long[] times = new long[COUNT];

        private long count;

        /** The oldest time in the ring. Meaningless until there have been enough. */
        private volatile long oldest;

        private volatile boolean full;
        private volatile boolean lock;

        /**
         * @param isLock whether the key is a lock rather than a semaphore
         */
        void add(long now, boolean isLock) {
            lock = isLock;
            times[(int) (count++ % COUNT)] = now;
            oldest = times[(int) (count % COUNT)];
            full = count >= COUNT;
        }

        boolean areQuick(long now) {
            return lock && full && now - oldest < QUICK_NANOS;
        }
    }
}
