package io.flockgate.storage.memory.fence;

import io.flockgate.storage.Backoff;
import io.flockgate.text.Reason;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Raises the ceiling of a fence counter in the background before it is reached, and retries after
 * failures. At most one attempt is scheduled or running at a time.
 */
final class RangeExtender implements Closeable {
    static final Backoff PAUSES = new Backoff(100, 5_000); // milliseconds

    private final CeilingStore store;
    private final Scheduler scheduler;
    private final Backoff pauses;
    private final ExtensionLog log;
    private final AtomicBoolean pending = new AtomicBoolean();
    private volatile String failureReason = "the next range of fences is being made durable";
    private volatile boolean closed;
    private int failures; // confined to the scheduler's thread

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

    /**
     * Schedules an extension of the counter's range, unless one is scheduled. Never blocks on the
     * disk.
     */
    void request(FenceCounter counter) {
        if (!pending.get() && pending.compareAndSet(false, true)) {
            scheduler.schedule(() -> attempt(counter), 0);
        }
    }

    /** Makes one attempt, and schedules the next if it failed. */
    private void attempt(FenceCounter counter) {
        boolean again = true;
        try {
            counter.raiseTo(extend(counter.ceiling()));
            again = false;
            healed();
        } catch (ExhaustedException e) {
            // The request stays pending forever, because no later attempt could succeed.
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
        failureReason = "the next range of fences cannot be made durable: " + Reason.of(cause);
        if (failures++ == 0 && !closed) {
            log.failed(cause, counter.left());
        }
    }

    private void healed() {
        if (failures > 0) {
            log.healed(failures);
        }
        failures = 0;
        failureReason = "the next range of fences is being made durable";
        pending.set(false);
    }

    /** The reason why the ceiling has not risen yet. */
    String failureReason() {
        return failureReason;
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
