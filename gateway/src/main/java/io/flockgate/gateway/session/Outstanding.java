package io.flockgate.gateway.session;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A group of calls of a storage. Its future completes when the last has ended, with the first
 * failure. Thread safe.
 */
final class Outstanding {
    private final Promise<Void> done = Promise.promise();

    /** Calls under way, and one for those still to come. */
    private final AtomicInteger left = new AtomicInteger(1);

    private volatile @Nullable Throwable failure;

    void add(Future<?> call) {
        if (!call.succeeded()) {
            left.incrementAndGet();
            call.onComplete(ignored -> ended(), cause -> {
                failed(cause);
                ended();
            });
        }
    }

    /** To be called once, after the last call has been added. */
    void noMore() {
        ended();
    }

    private synchronized void failed(Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
    }

    private void ended() {
        if (left.decrementAndGet() == 0) {
            Throwable first = failure;
            if (first == null) {
                done.complete();
            } else {
                done.fail(first);
            }
        }
    }

    Future<Void> done() {
        return done.future();
    }
}
