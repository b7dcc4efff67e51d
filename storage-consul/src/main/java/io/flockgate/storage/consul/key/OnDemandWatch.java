package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.KvList;
import io.flockgate.storage.consul.layout.KeyPath;
import io.flockgate.storage.consul.layout.KeyView;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The watch of one key: there while it is needed and the node may have one more, and a little longer, as the next waiter comes
 * soon, mostly. For the key's own thread only; tells on another.
 */
final class OnDemandWatch {
    private static final long LONGER_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Node node;
    private final KeyPath path;
    private final Told told;
    private @Nullable PrefixWatch watch;
    private long neededAt;

    /** What the watch has found. */
    interface Told {
        void found(KvList list, boolean restarted);
    }

    OnDemandWatch(Node node, KeyPath path, Told told) {
        this.node = node;
        this.path = path;
        this.told = told;
    }

    boolean isThere() {
        return watch != null;
    }

    /**
     * Begins it or ends it.
     *
     * @param seen what is known already
     */
    void keep(boolean needed, @Nullable KeyView seen) {
        long now = node.now();
        if (needed) {
            neededAt = now;
            if (watch == null && node.watches().take()) {
                long from = seen == null ? 0 : seen.readIndex();
                watch = PrefixWatch.start(node.environment(), node.api(), path.root(), from, new Listener());
            }
        } else if (now - neededAt >= LONGER_NANOS) {
            stop();
        }
    }

    /** After how many nanoseconds to be kept again. */
    long due(boolean needed) {
        return watch == null || needed ? Long.MAX_VALUE : LONGER_NANOS;
    }

    void stop() {
        if (watch != null) {
            watch.stop();
            watch = null;
            node.watches().giveBack();
        }
    }

    private final class Listener implements PrefixWatch.Listener {
        @Override
        public void found(KvList list, boolean restarted) {
            told.found(list, restarted);
        }

        @Override
        public void failed(ConsulException e) {
            node.noted(e);
        }
    }
}
