package io.flockgate.storage.consul.key;

import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.kv.KvEntry;
import io.flockgate.consul.kv.KvList;

/**
 * Takes what watches have read about one key to the key's own thread. There it compares the new
 * view with what this gateway knows. Methods are for any thread, unless they say otherwise.
 */
final class WatchedReads implements OnDemandWatch.ReadListener {
    private final SerialExecutor executor;
    private final CallRunner calls;
    private final PendingRead pending;
    private final KeyStore store;
    private final FailureDetector detector;
    private final WaiterGrants waiterGrants;
    private final TicketQueue tickets;
    private final GrantKeeper keeper;
    private final LocalGrants grants;

    WatchedReads(SerialExecutor executor, CallRunner calls, KeyParts parts) {
        this.executor = executor;
        this.calls = calls;
        KeyContext context = parts.context;
        this.pending = context.pendingRead;
        this.store = context.store;
        this.detector = context.detector;
        this.waiterGrants = parts.waiterGrants;
        this.tickets = parts.tickets;
        this.keeper = parts.keeper;
        this.grants = context.grants;
    }

    /** Receives a read. It replaces an older read that is still pending. */
    void received(PendingRead.Read read) {
        if (pending.put(read)) {
            boolean unused = executor.executeUrgently(this::handleRead);
        }
    }

    @Override
    public void found(KvList list, boolean restarted) {
        received(new PendingRead.Read(list, false, restarted));
    }

    @Override
    public void found(KvEntry lock) {
        if (pending.put(lock)) {
            boolean unused = executor.executeUrgently(this::handleLock);
        }
    }

    @Override
    public boolean isQuickLock() {
        return store.isQuickLock();
    }

    private void handleRead() {
        PendingRead.Read read = pending.take();
        if (read == null || calls.isClosed()) {
            return;
        }
        calls.attempt(until -> {
            if (store.acceptIfNewer(read, until)) {
                if (read.restarted()) {
                    tickets.indexesRestarted();
                    detector.indexesRestarted(store.path().prefix());
                }
                compareWithLastView(until);
            }
        });
    }

    private void handleLock() {
        KvEntry lock = pending.takeLock();
        if (lock != null && !calls.isClosed()) {
            calls.attempt(until -> {
                if (store.acceptLock(lock, tickets::isMine, !grants.isEmpty(), until)) {
                    compareWithLastView(until);
                }
            });
        }
    }

    /** Compares the last view with what this gateway knows. For the key's own thread. */
    void compareWithLastView(long deadline) {
        KeyView view = store.last();
        if (view != null) {
            waiterGrants.applyRemote(view);
            keeper.observe(view);
            keeper.tidy(view, deadline);
            tickets.tidy(view, deadline);
        }
    }
}
