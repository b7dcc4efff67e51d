package io.flockgate.gateway.stats;

import io.flockgate.storage.Age;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;

/** Makes summaries of keys. */
public final class KeySummaries {
    private KeySummaries() {}

    /**
     * A key whose oldest grant, if any, was timed by this process. Nothing is known about its
     * client but the number, and nothing about waits.
     */
    public static KeySummary of(
            Key key,
            Kind kind,
            long limit,
            int holders,
            int waiters,
            long ownerId,
            long leaseLeftNanos,
            long heldNanos,
            long idleNanos) {
        ClientView owner = new ClientView(ownerId, ClientDescription.UNKNOWN, null, "");
        HolderView oldest = holders == 0 ? null : new HolderView(owner, 1, Age.exact(heldNanos, 0), leaseLeftNanos);
        return new KeySummary(key, kind, limit, holders, waiters, oldest, idleNanos, 0);
    }
}
