package io.flockgate.client.kubernetes;

import io.flockgate.client.LeaseClosedException;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.Subscription;
import io.flockgate.client.support.Backoff;
import io.flockgate.client.support.RareLog;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** The clocks of the threads that carry out requests, and their pauses. */
final class Pauses {
    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(2));

    private final LeaseEnvironment environment;
    private final CompletableFuture<Void> closed;
    private final RareLog log;

    Pauses(LeaseEnvironment environment, CompletableFuture<Void> closed) {
        this.environment = environment;
        this.closed = closed;
        this.log = new RareLog(
                environment.logger("waits"), environment.timers()::nanos, 1, environment.callbackExecutor());
    }

    /** Reports a claim that waits for a server that does not answer. */
    void report(String name, String why) {
        log.warn(() -> "lease " + name + ": the claim waits, and tries again: " + why);
    }

    long now() {
        return environment.timers().nanos();
    }

    /** The time that objects show to people and other software. */
    Instant wallTime() {
        return environment.wallClock().instant();
    }

    /**
     * The pause before a request is sent again: at least as long as the server requests, and longer
     * with each failure.
     */
    Duration afterFailure(ApiAnswer.Failed failed, int failures) {
        Duration own = BACKOFF.after(failures, environment.random());
        return own.compareTo(failed.retryAfter()) > 0 ? own : failed.retryAfter();
    }

    /**
     * A random pause between half and one and a half times this time, so that clients do not ask at
     * the same time.
     */
    Duration varied(Duration about) {
        return Backoff.varied(about, environment.random());
    }

    /**
     * Waits for this time, or until the future completes.
     *
     * @throws LeaseClosedException if the back end is closed
     */
    void pause(Duration time, CompletableFuture<?> end) throws InterruptedException {
        CompletableFuture<Void> over = new CompletableFuture<>();
        Subscription timer = environment.timers().after(time, () -> over.complete(null));
        try {
            Object unused = CompletableFuture.anyOf(over, end, closed).get();
        } catch (ExecutionException failed) {
            // Only the end of the wait matters.
        } finally {
            timer.close();
        }
        checkOpen();
    }

    void checkOpen() {
        if (closed.isDone()) {
            throw new LeaseClosedException("the client is closed");
        }
    }
}
