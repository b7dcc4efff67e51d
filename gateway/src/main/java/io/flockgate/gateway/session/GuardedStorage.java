package io.flockgate.gateway.session;

import io.flockgate.storage.Grant;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.Ticket;
import io.vertx.core.Future;

/**
 * The storage for calls that a session makes without a request, where no caller catches what they
 * throw. The storage itself continues with a call that it could not finish.
 */
final class GuardedStorage {
    private final LockStorage storage;

    GuardedStorage(LockStorage storage) {
        this.storage = storage;
    }

    Future<ReleaseOutcome> release(Grant grant) {
        return StorageFailures.call(() -> storage.release(grant.key(), grant.token()));
    }

    Future<LeaveOutcome> leave(Ticket ticket) {
        return StorageFailures.call(() -> storage.leave(ticket));
    }

    Future<RenewOutcome> renew(Grant grant, long leaseSeconds) {
        return StorageFailures.call(() -> storage.renew(grant.key(), grant.token(), leaseSeconds));
    }
}
