package io.flockgate.storage.consul.key;

import io.flockgate.consul.format.KeyPath;
import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.KvEntry;
import io.flockgate.consul.kv.KvList;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.environment.Environment;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The watch of one key. It runs while it is needed and the budget allows it. It stops one second
 * later, because the next waiter often comes soon. For the key's own thread only, unless a method
 * says otherwise.
 */
final class OnDemandWatch implements WatchBudget.Watch {
    /**
     * The time after which everything is read again, while the changes of {@code .lock} alone are
     * enough otherwise.
     */
    private static final long READ_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long LONGER_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Environment environment;
    private final ConsulApi api;
    private final WatchBudget budget;
    private final FailureDetector detector;
    private final KeyPath path;
    private final ReadListener listener;
    private volatile @Nullable PrefixWatch watch;
    private long neededAt;
    private volatile long pauseMillis;

    /** Whether the budget knows this watch. */
    private boolean asked;

    /** Receives the reads, on the watch's thread. */
    interface ReadListener {
        void found(KvList list, boolean restarted);

        /** Receives a read of {@code .lock} alone. */
        void found(KvEntry lock);

        /**
         * Whether the key is a lock that changes hands quickly. Then its {@code .lock} alone shows
         * most of its changes.
         */
        boolean isQuickLock();
    }

    OnDemandWatch(KeyContext context, ReadListener listener) {
        this.environment = context.environment;
        this.api = context.api;
        this.budget = context.shared.budget;
        this.detector = context.detector;
        this.path = context.path;
        this.listener = listener;
    }

    boolean isRunning() {
        return watch != null;
    }

    /**
     * Starts or stops the watch.
     *
     * @param seen the last view
     * @param pause the milliseconds in which changes need not be seen
     */
    void keep(boolean needed, @Nullable KeyView seen, long pause) {
        long now = environment.now();
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
     * The nanoseconds until {@link #keep} has to be called again; {@code Long.MAX_VALUE} for never.
     */
    long due(boolean needed) {
        return watch == null || needed ? Long.MAX_VALUE : LONGER_NANOS;
    }

    private synchronized void start(long from) {
        asked = true;
        if (budget.take(this)) {
            watch = PrefixWatch.start(environment, api, path.root(), from, new Reads());
        }
    }

    void stop() {
        end();
        budget.giveBack(this);
        asked = false;
    }

    /**
     * The next {@link #keep} may start the watch again. Meanwhile the read of all keys shows the
     * changes.
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
        private long readAt = environment.now();

        @Override
        public void found(KvList list, boolean restarted) {
            readAt = environment.now();
            listener.found(list, restarted);
        }

        @Override
        public @Nullable String enoughForNow() {
            boolean lately = environment.now() - readAt < READ_NANOS;
            return lately && listener.isQuickLock() ? path.lock() : null;
        }

        @Override
        public void found(KvEntry entry) {
            listener.found(entry);
        }

        @Override
        public long pauseMillis() {
            return pauseMillis;
        }

        @Override
        public void failed(ConsulException e) {
            detector.failed(e);
        }
    }
}
