package io.flockgate.bench;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** Waits for a time, or for the results of other threads. */
public final class Waiting {
    private Waiting() {}

    @CanIgnoreReturnValue
    public static <T> T result(Future<T> running) {
        try {
            return running.get();
        } catch (InterruptedException e) {
            throw BenchException.interrupted(e);
        } catch (ExecutionException e) {
            throw new BenchException("a client failed: " + e.getMessage(), e);
        }
    }

    public static void pauseMillis(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw BenchException.interrupted(e);
        }
    }

    public static void pause(Duration time) {
        pauseMillis(time.toMillis());
    }
}
