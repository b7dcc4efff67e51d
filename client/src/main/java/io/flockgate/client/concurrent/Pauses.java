package io.flockgate.client.concurrent;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Pauses of threads that may block. */
public final class Pauses {
    private Pauses() {}

    /**
     * Pauses until the time has passed, the future completes, or the thread is interrupted, in
     * which case its interrupt status stays set.
     */
    public static void sleep(Duration time, CompletableFuture<?> stop) {
        try {
            Object unused = stop.get(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException over) {
            // The time has passed.
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
