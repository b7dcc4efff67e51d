package io.flockgate.gateway.session;

import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.vertx.core.Future;
import java.util.function.Supplier;

/** Failures of a storage's futures as what they are promised to be. */
final class Troubles {
    private Troubles() {}

    /** A call that nobody up the stack would answer for: what it throws, against its contract, is a failure like others. */
    static <T> Future<T> caught(Supplier<Future<T>> call) {
        try {
            return call.get();
        } catch (RuntimeException e) {
            return Future.failedFuture(of(e));
        }
    }

    /** A storage that fails in any other way is broken, and nothing is known of what it did. */
    static StorageException of(Throwable cause) {
        return cause instanceof StorageException trouble
                ? trouble
                : new StorageException(
                        FailureKind.UNAVAILABLE, Effect.UNKNOWN, "the storage failed unexpectedly", cause);
    }
}
