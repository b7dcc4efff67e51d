package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.format.QueuedTicket;
import io.flockgate.storage.consul.format.Transactions;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Removes from its place a head that could have a slot, if Consul has refused it a session for ten
 * seconds. Its waiter queues again at the end, so that it does not block all others indefinitely.
 * Outages do not count, because they end, or the head's ticket does. For the key's own thread only.
 */
final class StuckHead {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final KeyStore store;
    private final Transactions transactions;
    private final Environment environment;
    private String ticket = "";
    private long since;

    StuckHead(KeyStore store, Transactions transactions, Environment environment) {
        this.store = store;
        this.transactions = transactions;
        this.environment = environment;
    }

    /**
     * Records that this head was refused a session. Returns true if that has lasted for too long
     * and its ticket was deleted.
     */
    boolean givesUp(@Nullable QueuedTicket head, long deadline) {
        if (head == null || !isStuck(head.name())) {
            return false;
        }
        String key = head.entry().key();
        WriteOutcome outcome = store.write(transactions.dequeue(head), after -> after.entry(key) == null, deadline);
        return outcome instanceof WriteOutcome.Done;
    }

    private boolean isStuck(String head) {
        long now = environment.now();
        if (!head.equals(ticket)) {
            ticket = head;
            since = now;
        }
        return now - since >= PATIENCE_NANOS;
    }
}
