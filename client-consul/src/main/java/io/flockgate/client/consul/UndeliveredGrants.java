package io.flockgate.client.consul;

import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.concurrent.Backoff;
import io.flockgate.consul.format.KeyPath;
import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.Slot;
import io.flockgate.consul.format.Transactions;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.TxnOutcome;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executor;

/**
 * Frees the slots of grants that may have been written to Consul but were never handed to a caller.
 * Otherwise such a slot would be kept for the whole lease, because other members must assume that
 * its holder is alive.
 *
 * <ol>
 *   <li>End the session of the grant. After that, Consul refuses a late write.
 *   <li>Read the key. If it shows the nonce of the grant, free the slot.
 *   <li>If Consul does not answer, try again for twice the length of the lease.
 * </ol>
 *
 * The grants are kept by their nonces.
 */
final class UndeliveredGrants extends Leftovers<UndeliveredGrants.Undelivered> {
    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(200), Duration.ofMillis(1_600));
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /**
     * @param end the ticker's time at which the attempts end
     */
    record Undelivered(KeyPath path, Transactions transactions, String session, long end) {}

    UndeliveredGrants(ConsulApi api, LeaseEnvironment environment, Executor executor) {
        super(api, environment, executor, BACKOFF);
    }

    /** Begins to free the slot of this grant. */
    void add(KeyPath path, Transactions transactions, String nonce, String session, Duration ttl) {
        long end = environment.ticker().nanos() + 2 * ttl.toNanos();
        put(nonce, new Undelivered(path, transactions, session, end));
    }

    @Override
    void work() {
        do {
            all().forEach((nonce, grant) -> {
                if (!closed.isDone()) {
                    free(nonce, grant);
                }
            });
        } while (!isOver() && pause());
    }

    private synchronized Map<String, Undelivered> all() {
        return Map.copyOf(left);
    }

    private void free(String nonce, Undelivered grant) {
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

    @Override
    boolean hasEnded(Undelivered grant, long now) {
        return grant.end() - now <= 0;
    }
}
