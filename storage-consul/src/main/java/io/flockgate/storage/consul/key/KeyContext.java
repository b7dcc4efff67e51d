package io.flockgate.storage.consul.key;

import io.flockgate.storage.Key;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.format.KeyPath;
import io.flockgate.storage.consul.format.Transactions;
import io.flockgate.storage.consul.rules.FenceGuard;
import io.flockgate.storage.consul.session.DetachedSessions;
import io.flockgate.storage.consul.session.Sessions;

/**
 * The context of one key that the parts of its actor share: the parts of the gateway, and this
 * gateway's knowledge of the key. For the key's own thread only, except for members that are thread
 * safe.
 */
final class KeyContext {
    final Key name;
    final KeyPath path;
    final SharedParts shared;

    final Environment environment;
    final ConsulApi api;
    final Sessions sessions;
    final DetachedSessions detachedSessions;
    final Transactions transactions;
    final GatewaySettings settings;
    final FenceGuard fences;
    final FailureDetector detector;

    final Activity activity;
    final PendingRead pendingRead = new PendingRead();
    final KeyStore store;
    final LocalWaiters waiters;
    final LocalGrants grants;
    final Due due = new Due();

    /**
     * @param lastActivity the time at which this gateway last used the key
     */
    KeyContext(SharedParts shared, Key name, long lastActivity) {
        GatewayContext gateway = shared.gateway;
        this.name = name;
        this.path = gateway.paths().of(name);
        this.shared = shared;
        this.environment = gateway.environment();
        this.api = gateway.api();
        this.sessions = gateway.sessions();
        this.detachedSessions = gateway.detachedSessions();
        this.transactions = gateway.transactions();
        this.settings = gateway.settings();
        this.fences = gateway.fences();
        this.detector = shared.detector;
        this.activity = new Activity(environment, lastActivity);
        this.store = new KeyStore(shared, path, pendingRead);
        this.waiters = new LocalWaiters(shared.localIndex);
        this.grants = new LocalGrants(shared.localIndex);
    }
}
