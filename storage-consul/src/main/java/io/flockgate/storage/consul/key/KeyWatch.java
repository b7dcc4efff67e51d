package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.KvList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Watches one key, and passes its reads to the key's own thread, which compares the new view with
 * this gateway's knowledge. The watch runs while it is needed and the budget allows it, and stops
 * one second later, because the next waiter often arrives soon. For the key's own thread only,
 * unless a method states otherwise.
 */
final class KeyWatch implements WatchBudget.Watch, PrefixWatch.Listener {
    private static final long LONGER_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long OWN_RUN_MILLIS = 10;
    private static final long OWN_LAST_MILLIS = 2;

    private final LocalKey key;
    private final CallRunner calls;
    private final TicketDeletions deletions;
    private final GrantComparison comparison;
    private volatile @Nullable PrefixWatch watch;
    private long neededAt;
    private volatile long pauseMillis;

    /** Whether the budget knows this watch. */
    private boolean asked;

    KeyWatch(LocalKey key, CallRunner calls, TicketDeletions deletions, GrantComparison comparison) {
        this.key = key;
        this.calls = calls;
        this.deletions = deletions;
        this.comparison = comparison;
    }

    private boolean isNeeded() {
        return !key.waiters.isEmpty() || (key.path.mapped() && !key.grants.isEmpty());
    }

    /** Starts or stops the watch. */
    void keep() {
        long now = key.now();
        pauseMillis = undisturbedMillis();
        if (isNeeded()) {
            neededAt = now;
            if (watch == null) {
                KeyView seen = key.store.last();
                start(seen == null ? 0 : seen.readIndex());
            }
        } else if (asked && (watch == null || now - neededAt >= LONGER_NANOS)) {
            stop();
        }
    }

    /**
     * The nanoseconds until {@link #keep} must be called again; {@code Long.MAX_VALUE} for never.
     */
    long due() {
        return watch == null || isNeeded() ? Long.MAX_VALUE : LONGER_NANOS;
    }

    /**
     * The milliseconds during which changes need not be seen. No other gateway hands the lock to
     * this one, because this gateway has it and needs a write to pass it on. The time is longer if
     * it passes the lock on to its own waiter.
     */
    private long undisturbedMillis() {
        KeyView last = key.store.last();
        boolean holds = last != null
                && key.store.isQuickLock()
                && last.slots().stream().anyMatch(slot -> key.settings.isMine(slot.mark()));
        if (last == null || !holds) {
            return 0;
        }
        return last.head().filter(key.settings::isMine).isPresent() ? OWN_RUN_MILLIS : OWN_LAST_MILLIS;
    }

    private synchronized void start(long from) {
        asked = true;
        if (key.gateway.budget.take(this)) {
            watch = PrefixWatch.start(key.environment, key.gateway.api, key.path.root(), from, this);
            key.watched = true;
        }
    }

    void stop() {
        revoke();
        key.gateway.budget.giveBack(this);
        asked = false;
    }

    /**
     * Stops the watch; the next {@link #keep} may start it again. Meanwhile the read of all keys
     * shows the changes.
     */
    @Override
    public synchronized void revoke() {
        PrefixWatch running = watch;
        if (running != null) {
            running.stop();
            watch = null;
            key.watched = false;
        }
    }

    @Override
    public void found(KvList list, boolean restarted) {
        received(new PendingRead.Read(list, false, restarted));
    }

    @Override
    public long pauseMillis() {
        return pauseMillis;
    }

    @Override
    public void failed(ConsulException e) {
        key.gateway.readFailed(e);
    }

    /**
     * Receives a read. It replaces an older read that is still pending. May be called on any
     * thread.
     */
    void received(PendingRead.Read read) {
        if (key.pendingRead.put(read)) {
            boolean unused = calls.executeUrgently(this::handleRead);
        }
    }

    private void handleRead() {
        PendingRead.Read read = key.pendingRead.take();
        if (read == null || calls.isClosed()) {
            return;
        }
        calls.attempt(until -> {
            if (key.store.acceptIfNewer(read, until)) {
                if (read.restarted()) {
                    key.waiters.indexesRestarted();
                    deletions.indexesRestarted();
                }
                compareWithLastView(until);
            }
        });
    }

    /** Compares the last view with this gateway's knowledge. */
    void compareWithLastView(long deadline) {
        KeyView view = key.store.last();
        if (view != null) {
            key.waiters.applyRemovals(view);
            comparison.observe(view);
            comparison.tidy(view, deadline);
            deletions.tidy(view, deadline);
        }
    }
}
