package io.flockgate.client.consul;

import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.concurrent.Backoff;
import io.flockgate.client.concurrent.Pauses;
import io.flockgate.consul.format.KeyPath;
import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.Slot;
import io.flockgate.consul.format.Transactions;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.TxnOutcome;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Frees the slots of grants that may have been written, but that no caller has, or that were
 * refused. Otherwise such a slot would be kept for the whole lease, because other members must
 * assume that its holder is alive.
 *
 * <ol>
 *   <li>End the session of the grant. After that, Consul refuses a late write.
 *   <li>Read the key. If it shows the nonce of the grant, free the slot.
 *   <li>If Consul does not answer, try again until the lease would have ended.
 * </ol>
 *
 * One thread works while there are such grants. Thread safe.
 */
final class UntoldGrants {
    /** Maximum number of grants; the slots of further ones become free only with their leases. */
    private static final int MAX_GRANTS = 1000;

    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(200), Duration.ofMillis(1_600));
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final ConsulApi api;
    private final LeaseEnvironment environment;
    private final Executor executor;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** By nonce. Guarded by this object. */
    private final Map<String, Untold> grants = new HashMap<>();

    private boolean working;
    private int round;

    /**
     * @param end the ticker's time at which its lease has ended
     */
    private record Untold(KeyPath path, Transactions transactions, String session, long end) {}

    UntoldGrants(ConsulApi api, LeaseEnvironment environment, Executor executor) {
        this.api = api;
        this.environment = environment;
        this.executor = executor;
    }

    /** Begins to free the slot of this grant. */
    synchronized void add(KeyPath path, Transactions transactions, String nonce, String session, Duration ttl) {
        if (grants.size() >= MAX_GRANTS || closed.isDone()) {
            return;
        }
        long end = environment.ticker().nanos() + 2 * ttl.toNanos();
        grants.put(nonce, new Untold(path, transactions, session, end));
        round = 0;
        if (!working) {
            working = begins();
        }
    }

    private boolean begins() {
        try {
            executor.execute(this::work);
            return true;
        } catch (RejectedExecutionException closing) {
            return false;
        }
    }

    private void work() {
        do {
            all().forEach((nonce, grant) -> {
                if (!closed.isDone()) {
                    free(nonce, grant);
                }
            });
        } while (!isOver() && pause());
    }

    private synchronized Map<String, Untold> all() {
        return Map.copyOf(grants);
    }

    private void free(String nonce, Untold grant) {
        long deadline = environment.ticker().nanos() + PATIENCE.toNanos();
        try {
            api.destroySession(grant.session(), deadline);
            KeyView view = api.read(grant.path(), deadline);
            Slot slot = view.slots().stream()
                    .filter(each -> each.isOf(nonce))
                    .findFirst()
                    .orElse(null);
            // Regardless of the record, because the write depends on the entry of this grant.
            if (slot == null
                    || api.txn(grant.transactions().free(view, slot), deadline) instanceof TxnOutcome.Committed) {
                forget(nonce);
            }
        } catch (ConsulException unanswered) {
            // The next round tries again.
        }
    }

    private synchronized void forget(String nonce) {
        grants.remove(nonce);
    }

    private boolean pause() {
        Pauses.sleep(nextPause(), closed);
        return !closed.isDone();
    }

    private synchronized Duration nextPause() {
        return BACKOFF.after(++round);
    }

    private synchronized boolean isOver() {
        long now = environment.ticker().nanos();
        grants.values().removeIf(grant -> grant.end() - now <= 0);
        working = !grants.isEmpty() && !closed.isDone();
        return !working;
    }

    /** Ends the work. The leases end by themselves. */
    void close() {
        closed.complete(null);
    }
}
