package io.flockgate.storage.consul.key;

import io.flockgate.storage.Key;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.format.KeyPath;
import io.flockgate.storage.consul.format.Transactions;
import io.flockgate.storage.consul.session.Sessions;

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

    /**
     * @param lastUse the time at which this gateway last used the key
     */
    LocalKey(LocalGateway gateway, Key name, long lastUse) {
        this.gateway = gateway;
        this.name = name;
        this.path = gateway.paths.of(name);
        this.environment = gateway.environment;
        this.sessions = gateway.sessions;
        this.transactions = gateway.transactions;
        this.settings = gateway.settings;
        this.store = new KeyStore(gateway, path, pendingRead);
        this.waiters = new LocalWaiters(gateway.localIndex);
        this.grants = new LocalGrants(gateway.localIndex, gateway.holders);
        this.lastUse = lastUse;
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
}
