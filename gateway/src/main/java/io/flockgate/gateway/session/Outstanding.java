package io.flockgate.gateway.session;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A group of storage calls. Its future completes when the last call has ended, with the first
 * failure if there is one. Thread safe.
 */
final class Outstanding {
    private final Promise<Void> done = Promise.promise();

    /** The number of calls under way, plus one for those still to be added. */
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

    /** Allows the future to complete. To be called once, after the last call has been added. */
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
