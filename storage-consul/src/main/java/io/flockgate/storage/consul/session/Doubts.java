package io.flockgate.storage.consul.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.consul.environment.Environment;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * The doubts about whether Consul still has this gateway's sessions. A doubt is raised when the
 * agent refuses a connection, or when the machine was suspended. A renewal sent later settles it.
 * Thread safe.
 */
final class Doubts {
    static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int MAX_PAUSES = 500;
    private static final int FEW_PAUSES = 20;

    private final Environment environment;
    private final AtomicLong raised = new AtomicLong();

    @GuardedBy("this")
    private long settledByOwn;

    @GuardedBy("this")
    private long settledBySlots;

    private volatile long settled;

    Doubts(Environment environment) {
        this.environment = environment;
    }

    void raise() {
        long unused = raised.incrementAndGet();
    }

    /** The number of doubts raised so far. */
    long raised() {
        return raised.get();
    }

    /**
     * Records that the gateway's own session was renewed after this number of doubts had been
     * raised.
     */
    synchronized void settleOwn(long count) {
        settledByOwn = count;
        settled = Math.min(settledByOwn, settledBySlots);
    }

    /**
     * Records that all sessions of slots were renewed after this number of doubts had been raised.
     */
    synchronized void settleSlots(long count) {
        settledBySlots = count;
        settled = Math.min(settledByOwn, settledBySlots);
    }

    boolean isOpen() {
        return settled < raised.get();
    }

    /** Waits until no doubt is open or the condition holds, for at most about five seconds. */
    void awaitSettled(BooleanSupplier enough) {
        await(enough, MAX_PAUSES);
    }

    /** Waits as {@link #awaitSettled} does, for at most a fifth of a second. */
    void awaitBriefly(BooleanSupplier enough) {
        await(enough, FEW_PAUSES);
    }

    private void await(BooleanSupplier enough, int pauses) {
        for (int i = 0; i < pauses && isOpen() && !enough.getAsBoolean() && environment.pause(PAUSE_NANOS); i++) {}
    }
}
