package io.flockgate.bench.consul;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.bench.BenchException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** Waits for the results of other threads. */
final class Results {
    private Results() {}

    @CanIgnoreReturnValue
    static <T> T of(Future<T> running) {
        try {
            return running.get();
        } catch (InterruptedException e) {
            throw BenchException.interrupted(e);
        } catch (ExecutionException e) {
            throw new BenchException("a client failed: " + e.getMessage(), e);
        }
    }
}
