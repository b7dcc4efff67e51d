package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.kv.KvList;

/**
 * Passes the reads of one key by watches to the key's own thread, which compares the new view with
 * this gateway's knowledge. Methods may be called on any thread, unless they state otherwise.
 */
final class WatchedReads implements OnDemandWatch.ReadListener {
    private static final long OWN_RUN_MILLIS = 10;
    private static final long OWN_LAST_MILLIS = 2;

    private final KeyContext key;
    private final SerialExecutor executor;
    private final CallRunner calls;
    private final WaiterGrants waiterGrants;
    private final TicketDeletions deletions;
    private final GrantComparison comparison;

    WatchedReads(SerialExecutor executor, CallRunner calls, KeyParts parts) {
        this.executor = executor;
        this.calls = calls;
        this.key = parts.key;
        this.waiterGrants = parts.waiterGrants;
        this.deletions = parts.deletions;
        this.comparison = parts.comparison;
    }

    /** Receives a read. It replaces an older read that is still pending. */
    void received(PendingRead.Read read) {
        if (key.pendingRead.put(read)) {
            boolean unused = executor.executeUrgently(this::handleRead);
        }
    }

    @Override
    public void found(KvList list, boolean restarted) {
        received(new PendingRead.Read(list, false, restarted));
    }

    /**
     * The milliseconds during which no other gateway hands the lock to this one, because this
     * gateway has it and needs a write to pass it on. The time is longer if it passes the lock on
     * to its own waiter.
     */
    long undisturbedMillis() {
        KeyView last = key.store.last();
        boolean holds = last != null
                && key.store.isQuickLock()
                && last.slots().stream().anyMatch(slot -> key.settings.isMine(slot.mark()));
        if (last == null || !holds) {
            return 0;
        }
        return last.head().filter(key.settings::isMine).isPresent() ? OWN_RUN_MILLIS : OWN_LAST_MILLIS;
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
                    key.detector.indexesRestarted(key.path.prefix());
                }
                compareWithLastView(until);
            }
        });
    }

    /** Compares the last view with this gateway's knowledge. For the key's own thread. */
    void compareWithLastView(long deadline) {
        KeyView view = key.store.last();
        if (view != null) {
            waiterGrants.apply(view);
            comparison.observe(view);
            comparison.tidy(view, deadline);
            deletions.tidy(view, deadline);
        }
    }
}
