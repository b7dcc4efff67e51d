package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.KvList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The watch of one key. It runs while it is needed and the budget allows it, and stops one second
 * later, because the next waiter often arrives soon. For the key's own thread only, unless a method
 * states otherwise.
 */
final class OnDemandWatch implements WatchBudget.Watch {
    private static final long LONGER_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final KeyContext key;
    private final ReadListener listener;
    private volatile @Nullable PrefixWatch watch;
    private long neededAt;
    private volatile long pauseMillis;

    /** Whether the budget knows this watch. */
    private boolean asked;

    /** Receives the reads, on the watch's thread. */
    interface ReadListener {
        void found(KvList list, boolean restarted);
    }

    OnDemandWatch(KeyContext key, ReadListener listener) {
        this.key = key;
        this.listener = listener;
    }

    boolean isRunning() {
        return watch != null;
    }

    /**
     * Starts or stops the watch.
     *
     * @param seen the last view
     * @param pause the milliseconds during which changes need not be seen
     */
    void keep(boolean needed, @Nullable KeyView seen, long pause) {
        long now = key.environment.now();
        pauseMillis = pause;
        if (needed) {
            neededAt = now;
            if (watch == null) {
                start(seen == null ? 0 : seen.readIndex());
            }
        } else if (asked && (watch == null || now - neededAt >= LONGER_NANOS)) {
            stop();
        }
    }

    /**
     * The nanoseconds until {@link #keep} must be called again; {@code Long.MAX_VALUE} for never.
     */
    long due(boolean needed) {
        return watch == null || needed ? Long.MAX_VALUE : LONGER_NANOS;
    }

    private synchronized void start(long from) {
        asked = true;
        if (key.shared.budget.take(this)) {
            watch = PrefixWatch.start(key.environment, key.api, key.path.root(), from, new Reads());
        }
    }

    void stop() {
        end();
        key.shared.budget.giveBack(this);
        asked = false;
    }

    /**
     * Stops the watch; the next {@link #keep} may start it again. Meanwhile the read of all keys
     * shows the changes.
     */
    @Override
    public void revoke() {
        end();
    }

    private synchronized void end() {
        PrefixWatch running = watch;
        if (running != null) {
            running.stop();
            watch = null;
        }
    }

    private final class Reads implements PrefixWatch.Listener {
        @Override
        public void found(KvList list, boolean restarted) {
            listener.found(list, restarted);
        }

        @Override
        public long pauseMillis() {
            return pauseMillis;
        }

        @Override
        public void failed(ConsulException e) {
            key.detector.failed(e);
        }
    }
}
