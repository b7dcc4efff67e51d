package io.flockgate.bench.consul;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.bench.BenchException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** Waits for a time, or for the results of other threads. */
final class Waiting {
    private Waiting() {}

    @CanIgnoreReturnValue
    static <T> T result(Future<T> running) {
        try {
            return running.get();
        } catch (InterruptedException e) {
            throw BenchException.interrupted(e);
        } catch (ExecutionException e) {
            throw new BenchException("a client failed: " + e.getMessage(), e);
        }
    }

    static void pauseMillis(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw BenchException.interrupted(e);
        }
    }

    static void pause(Duration time) {
        pauseMillis(time.toMillis());
    }
}
