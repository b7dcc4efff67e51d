package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.vertx.core.Future;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Waits for events, with a limit far above what any storage takes. */
public final class Await {
    /** The maximum wait in seconds: 30, unless this system property sets another number. */
    public static final long SECONDS = Long.getLong("flockgate.tck.patience", 30);

    private Await() {}

    /** The result of a call that must succeed. */
    public static <T> T result(Future<T> call) {
        done(call);
        return call.result();
    }

    /** Waits for a call that must succeed. */
    public static void done(Future<?> call) {
        completed(call);
        if (call.failed()) {
            throw new AssertionError("a call failed that should succeed", call.cause());
        }
    }

    /** The failure of a call that must fail with a {@link StorageException}. */
    public static StorageException failure(Future<?> call) {
        completed(call);
        assertThat(call.failed()).as("failed").isTrue();
        assertThat(call.cause()).isInstanceOf(StorageException.class);
        return (StorageException) call.cause();
    }

    /** Waits for a call that must fail because its storage is closed, without an effect. */
    public static void closed(Future<?> call) {
        StorageException failure = failure(call);
        assertThat(failure.kind()).isEqualTo(FailureKind.CLOSED);
        assertThat(failure.effect()).isEqualTo(Effect.NOT_DONE);
    }

    /** Waits for a call to end, one way or the other. */
    public static void completed(Future<?> call) {
        if (call.isComplete()) {
            return;
        }
        CountDownLatch completed = new CountDownLatch(1);
        call.onComplete(done -> completed.countDown());
        await(completed, "the end of a call");
    }

    /** Waits for a latch to open. */
    public static void await(CountDownLatch latch, String what) {
        try {
            if (!latch.await(SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("did not happen within " + SECONDS + " s: " + what);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
