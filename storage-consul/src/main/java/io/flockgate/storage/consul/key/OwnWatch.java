package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.KvList;
import io.flockgate.storage.consul.layout.KeyView;
import io.flockgate.storage.consul.layout.Place;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The watch of one key: there while it is needed and the node may have one more, and a little longer, as the next waiter comes
 * soon, mostly. For the key's own thread only; tells on another.
 */
final class OwnWatch {
    private static final long LONGER_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Node node;
    private final Place place;
    private final Told told;
    private @Nullable KeyWatch watch;
    private long neededAt;

    /** What the watch has found. */
    interface Told {
        void found(KvList list, boolean restarted);
    }

    OwnWatch(Node node, Place place, Told told) {
        this.node = node;
        this.place = place;
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
                watch = KeyWatch.start(node.api(), place.root(), node.clock(), from, new Listener());
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

    private final class Listener implements KeyWatch.Listener {
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
