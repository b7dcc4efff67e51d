package io.flockgate.storage.consul.key;

import io.flockgate.storage.Key;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.format.KeyPath;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.TicketMark.QueuedTicket;
import io.flockgate.storage.consul.format.Transactions;
import io.flockgate.storage.consul.key.LocalGateway.GatewaySettings;
import io.flockgate.storage.consul.session.Sessions;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One key as this gateway knows it: the last view of it, and this gateway's grants and waiters. For
 * the key's own thread only, except for members that are thread safe.
 */
final class LocalKey {
    final LocalGateway gateway;
    final Key name;
    final KeyPath path;
    final Environment environment;
    final Sessions sessions;
    final Transactions transactions;
    final GatewaySettings settings;
    final PendingRead pendingRead = new PendingRead();
    final KeyStore store;
    final LocalWaiters waiters;
    final LocalGrants grants;

    /**
     * Whether a watch of the key runs, which soon shows the changes by other gateways. Thread safe.
     */
    volatile boolean watched;

    private volatile long lastUse;
    private long due = Long.MAX_VALUE;

    LocalKey(LocalGateway gateway, Key name) {
        this.gateway = gateway;
        this.name = name;
        this.path = gateway.paths.of(name);
        this.environment = gateway.environment;
        this.sessions = gateway.sessions;
        this.transactions = gateway.transactions;
        this.settings = gateway.settings;
        this.store = new KeyStore(gateway, path, pendingRead);
        this.waiters = new LocalWaiters(gateway.waiters);
        this.grants = new LocalGrants(gateway.grants, gateway.holders);
        this.lastUse = environment.now();
    }

    long now() {
        return environment.now();
    }

    /** The time at which this gateway last used the key. Thread safe. */
    long lastUse() {
        return lastUse;
    }

    /** Records that this gateway uses the key now. */
    void touch() {
        lastUse = now();
    }

    /** Whether this gateway has neither a grant nor a waiter at the key. */
    boolean isUnused() {
        return grants.isEmpty() && waiters.isEmpty();
    }

    /**
     * The nanoseconds until the waiters need work even if nothing changes; {@code Long.MAX_VALUE}
     * for never.
     */
    long due() {
        return due;
    }

    void clearDue() {
        due = Long.MAX_VALUE;
    }

    /** Reduces {@link #due} to at most this value. */
    void dueIn(long left) {
        due = Math.min(due, left);
    }

    /**
     * The waiters of this gateway at one key, by the names of their tickets: those that are queued,
     * and those whose tickets are being written. For the key's own thread only.
     */
    static final class LocalWaiters {
        private final Map<String, LocalWaiter> queued = new LinkedHashMap<>();
        private final Map<String, LocalWaiter> enqueuing = new HashMap<>();
        private final Map<String, LocalWaiter> atAllKeys;

        LocalWaiters(Map<String, LocalWaiter> atAllKeys) {
            this.atAllKeys = atAllKeys;
        }

        /** Whether no claim of this gateway is queued or being enqueued. */
        boolean isEmpty() {
            return queued.isEmpty() && enqueuing.isEmpty();
        }

        boolean hasQueued() {
            return !queued.isEmpty();
        }

        /** The number of waiters whose tickets are being written. */
        int enqueuing() {
            return enqueuing.size();
        }

        /** A copy, which keeps waiters that are removed later. */
        List<LocalWaiter> queued() {
            return List.copyOf(queued.values());
        }

        /** The queued waiter with this ticket; null when there is none. */
        @Nullable
        LocalWaiter queued(String ticket) {
            return queued.get(ticket);
        }

        /** Whether a waiter has a ticket of this name, or its ticket is being written. */
        boolean has(String ticket) {
            return queued.containsKey(ticket) || enqueuing.containsKey(ticket);
        }

        void addEnqueuing(LocalWaiter waiter) {
            enqueuing.put(waiter.name(), waiter);
        }

        void removeEnqueuing(LocalWaiter waiter) {
            enqueuing.remove(waiter.name(), waiter);
        }

        void addQueued(LocalWaiter waiter) {
            queued.put(waiter.name(), waiter);
            atAllKeys.put(waiter.name(), waiter);
        }

        /** Removes a waiter. Returns false when it was not queued. */
        boolean removeQueued(LocalWaiter waiter) {
            atAllKeys.remove(waiter.name());
            return queued.remove(waiter.name(), waiter);
        }

        /**
         * Removes and notifies the waiters whose tickets an operator has marked at another gateway.
         * Their tickets are deleted later. Must be called before a new view is used for any
         * decision.
         */
        void applyRemovals(KeyView view) {
            for (QueuedTicket ticket : view.removed()) {
                LocalWaiter waiter = queued(ticket.name());
                if (waiter != null && removeQueued(waiter)) {
                    waiter.claimant().removed(waiter);
                }
            }
        }

        /** Puts waiters that are still queued behind all others. */
        void requeue(List<LocalWaiter> last) {
            for (LocalWaiter waiter : last) {
                if (queued.remove(waiter.name(), waiter)) {
                    queued.put(waiter.name(), waiter);
                }
            }
        }

        /** Forgets the indexes of all tickets, because the key's indexes have restarted. */
        void indexesRestarted() {
            queued.values().forEach(LocalWaiter::indexesRestarted);
        }

        void clear() {
            atAllKeys.keySet().removeAll(queued.keySet());
            queued.clear();
            enqueuing.clear();
        }
    }
}
