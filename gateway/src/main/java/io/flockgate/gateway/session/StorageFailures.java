package io.flockgate.gateway.session;

import io.flockgate.storage.Grant;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.flockgate.storage.Ticket;
import io.vertx.core.Future;
import java.util.function.Supplier;

/** Turns every failure of a storage into a {@link StorageException}, as the contract requires. */
public final class StorageFailures {
    private StorageFailures() {}

    /**
     * Calls the storage. An exception that it throws in breach of its contract becomes a failed
     * future.
     */
    public static <T> Future<T> call(Supplier<Future<T>> call) {
        try {
            return call.get();
        } catch (RuntimeException e) {
            return Future.failedFuture(of(e));
        }
    }

    /** Any other exception means a broken storage, whose effect is unknown. */
    static StorageException of(Throwable cause) {
        return cause instanceof StorageException failure
                ? failure
                : new StorageException(
                        FailureKind.UNAVAILABLE, Effect.UNKNOWN, "the storage failed unexpectedly", cause);
    }

    /**
     * The storage for calls that a session makes without a request, where no caller catches what
     * they throw. The storage itself continues with a call that it could not finish.
     */
    static final class GuardedStorage {
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
}
