package io.flockgate.gateway.session;

import io.flockgate.storage.Grant;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.Ticket;
import io.vertx.core.Future;

/**
 * What a session asks of the storage of its own accord, with no request behind it that would answer for what is thrown.
 * Failures are the storage's to settle: it goes on with what it could not finish.
 */
final class GuardedStorage {
    private final LockStorage storage;

    GuardedStorage(LockStorage storage) {
        this.storage = storage;
    }

    Future<ReleaseOutcome> release(Grant grant) {
        return Troubles.caught(() -> storage.release(grant.key(), grant.token()));
    }

    Future<LeaveOutcome> leave(Ticket ticket) {
        return Troubles.caught(() -> storage.leave(ticket));
    }

    Future<RenewOutcome> renew(Grant grant, long leaseSeconds) {
        return Troubles.caught(() -> storage.renew(grant.key(), grant.token(), leaseSeconds));
    }
}
