package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.GroupCommit;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.layout.Transactions;
import io.flockgate.storage.consul.session.Sessions;
import java.util.concurrent.atomic.AtomicLong;

/** What all keys of this gateway share. */
record Node(
        ConsulApi api,
        GroupCommit commit,
        Sessions sessions,
        Transactions transactions,
        KeyIndex keyIndex,
        FenceGuard fences,
        LocalIndex localIndex,
        WatchBudget watches,
        Contact contact,
        Environment environment,
        NodeSettings settings,
        AtomicLong tickets) {
    long now() {
        return environment.now();
    }

    /** A call to Consul has failed: was that an outage, contact is lost. */
    void noted(ConsulException e) {
        if (e.isOutage()) {
            contact.lost(now());
        }
    }

    /** Names of one process sort in the order of their making. */
    String nextTicket() {
        return "%s-%012d".formatted(settings.process(), tickets.incrementAndGet());
    }
}
