package io.flockgate.storage.memory.fence;

import io.flockgate.storage.Backoff;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Raises the ceiling of a fence counter in the background, ahead of need, and tries again for as long as it fails. At
 * most one attempt is scheduled or running at a time.
 */
final class RangeExtender implements Closeable {
    static final Backoff PAUSES = new Backoff(100, 5_000);

    private final CeilingStore store;
    private final Scheduler scheduler;
    private final Backoff pauses;
    private final ExtensionLog log;
    private final AtomicBoolean pending = new AtomicBoolean();
    private volatile String trouble = "the next range of fences is being made durable";
    private volatile boolean closed;
    private int failures; // of the thread that attempts

    RangeExtender(CeilingStore store, Scheduler scheduler, Backoff pauses, ExtensionLog log) {
        this.store = store;
        this.scheduler = scheduler;
        this.pauses = pauses;
        this.log = log;
    }

    long durableCeiling() {
        return store.ceiling();
    }

    /** Makes the range above {@code ceiling} durable and returns its end. */
    long extend(long ceiling) throws IOException {
        long next = ceiling + FenceCounter.RANGE;
        if (Long.compareUnsigned(next, ceiling) < 0) {
            throw new ExhaustedException();
        }
        store.raise(next);
        return next;
    }

    /** Sees to it that the counter's range is extended soon. Never blocks on the disk; cheap when already asked. */
    void request(FenceCounter counter) {
        if (!pending.get() && pending.compareAndSet(false, true)) {
            scheduler.schedule(() -> attempt(counter), 0);
        }
    }

    /** One attempt, and the appointment for the next if it failed. */
    private void attempt(FenceCounter counter) {
        boolean again = true;
        try {
            counter.raiseTo(extend(counter.ceiling()));
            again = false;
            healed();
        } catch (ExhaustedException e) {
            // Stays pending for ever: no later attempt could succeed.
            again = false;
            failed(e, counter);
        } catch (IOException | RuntimeException e) {
            failed(e, counter);
        } finally {
            if (again) {
                scheduler.schedule(() -> attempt(counter), pauses.millisAfter(failures));
            }
        }
    }

    private void failed(Exception cause, FenceCounter counter) {
        trouble = "the next range of fences cannot be made durable: " + cause.getMessage();
        if (failures++ == 0 && !closed) {
            log.failed(cause, counter.left());
        }
    }

    private void healed() {
        if (failures > 0) {
            log.healed(failures);
        }
        failures = 0;
        trouble = "the next range of fences is being made durable";
        pending.set(false);
    }

    /** Why the ceiling has not risen yet. */
    String failureReason() {
        return trouble;
    }

    @Override
    public void close() throws IOException {
        closed = true;
        scheduler.close();
        store.close();
    }

    private static final class ExhaustedException extends IOException {
        private static final long serialVersionUID = 1;

        ExhaustedException() {
            super("64 bits have no room for another range of fences");
        }
    }
}
