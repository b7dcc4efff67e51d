package io.flockgate.storage.memory.journal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queues records, and makes them durable on its own thread. All records that arrive during one
 * flush share the next. The thread takes all queued records as soon as a client waits for one of
 * them, or the oldest has waited long enough for others to share its flush, and passes them to the
 * {@link JournalWriter}.
 *
 * <p>The number of records that no client waits for is bounded, because each undoes an earlier
 * record or raises the fence ceiling. Thread safe.
 */
final class Journal {
    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);

    private final JournalWriter writer;
    private final TimeLimits limits;

    @GuardedBy("this")
    private List<Entry> queue = new ArrayList<>();

    @GuardedBy("this")
    private List<Entry> underWay = List.of();

    @GuardedBy("this")
    private boolean awaited;

    @GuardedBy("this")
    private boolean ended;

    /** Written only under the monitor. */
    private volatile boolean closing;

    /**
     * The time limits of a journal, in nanoseconds.
     *
     * @param linger the maximum time that a record waits for others to share its flush, if no
     *     client waits for it
     * @param slow the duration beyond which a flush is reported
     * @param giveUp the maximum time that a client waits for a flush
     * @param retry the pause between two attempts to rewrite the journal
     */
    record TimeLimits(long linger, long slow, long giveUp, long retry) {
        static final TimeLimits USUAL = new TimeLimits(
                TimeUnit.MILLISECONDS.toNanos(5),
                TimeUnit.SECONDS.toNanos(1),
                TimeUnit.SECONDS.toNanos(3),
                TimeUnit.SECONDS.toNanos(1));
    }

    /** A file that the journal writes. For one thread at a time. */
    interface Output extends Closeable {
        /** Makes these records durable as a unit: the next start finds all of them or none. */
        void append(List<JournalRecord> records) throws IOException;

        /** Replaces all records by these. If that fails, the old ones still exist. */
        void rewrite(List<JournalRecord> records) throws IOException;

        /** Whether replacing all records by a snapshot is worth its cost. */
        default boolean isLong() {
            return false;
        }

        /** Checks that the next start will find the file. */
        default void check() throws IOException {}

        /** Whether there are grants in it to serve, even if it cannot be written at the start. */
        default boolean wasFound() {
            return false;
        }
    }

    /**
     * A record to append.
     *
     * @param written completes once the record is durable; null if no client waits for that
     * @param since the time from which the record is queued
     */
    record Entry(JournalRecord record, @Nullable Promise<Void> written, long since) {
        boolean isAwaited() {
            return written != null;
        }

        void durable() {
            if (written != null) {
                written.tryComplete();
            }
        }

        void failed(String reason) {
            if (written != null) {
                written.tryFail(new StorageException(FailureKind.UNAVAILABLE, Effect.UNKNOWN, reason));
            }
        }
    }

    /**
     * Creates a journal whose files have been read into the image, and writes the image as its
     * first snapshot. If that fails, and there are grants to serve, the journal retries as after
     * any other failure.
     *
     * @throws IOException if that fails otherwise; the caller then closes the files
     */
    static Journal open(List<? extends Output> outputs, GrantImage image, TimeLimits limits) throws IOException {
        JournalWriter writer = new JournalWriter(outputs, image, limits);
        writer.begin();
        Journal journal = new Journal(writer, limits);
        Thread.ofPlatform().daemon().name("flockgate-journal").start(journal::run);
        return journal;
    }

    private Journal(JournalWriter writer, TimeLimits limits) {
        this.writer = writer;
        this.limits = limits;
    }

    /**
     * An entry for {@link #append(List)}, queued from now on.
     *
     * @param written completes once the record is durable; null if no client waits for that. If it
     *     fails, the record must not be confirmed, although the next start may find it
     */
    Entry entry(JournalRecord record, @Nullable Promise<Void> written) {
        return new Entry(record, written, System.nanoTime());
    }

    /** Appends one record, and completes once it is durable. */
    Future<Void> append(JournalRecord record) {
        Promise<Void> written = Promise.promise();
        append(List.of(entry(record, written)));
        return written.future();
    }

    /**
     * Appends records in this order. Once the journal is closed, appends nothing and fails the
     * waiting clients. Promises complete on any thread, and their listeners must not block.
     */
    void append(List<Entry> entries) {
        if (!add(entries)) {
            forEach(entries, entry -> entry.failed("the journal is closed"));
        }
    }

    private synchronized boolean add(List<Entry> entries) {
        if (closing) {
            return false;
        }
        boolean wake = queue.isEmpty();
        for (Entry entry : entries) {
            queue.add(entry);
            wake |= entry.isAwaited() && !awaited;
            awaited |= entry.isAwaited();
        }
        if (wake) {
            notifyAll();
        }
        return true;
    }

    /** The reason why no record can be made durable now; empty when one can. */
    Optional<String> failureReason() {
        return writer.failureReason().or(() -> closing ? Optional.of(writer.name() + " is closed") : Optional.empty());
    }

    /**
     * Fails the clients that have waited too long for the disk. To be called about once a second.
     */
    void failOverdue() {
        List<Entry> overdue = new ArrayList<>();
        synchronized (this) {
            collectOverdue(underWay, overdue);
            collectOverdue(queue, overdue);
        }
        forEach(overdue, entry -> entry.failed("the disk of " + writer.name() + " does not answer in time"));
    }

    private void collectOverdue(List<Entry> entries, List<Entry> overdue) {
        long now = System.nanoTime();
        for (Entry entry : entries) {
            if (entry.written != null && now - entry.since > limits.giveUp()) {
                overdue.add(entry);
            }
        }
    }

    /**
     * Accepts no further records. Returns once the accepted ones are durable and the files are
     * closed, or after the maximum wait.
     */
    synchronized void close() throws InterruptedException {
        closing = true;
        notifyAll();
        long end = System.nanoTime() + limits.giveUp();
        for (long left = limits.giveUp(); !ended && left > 0; left = end - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    private void run() {
        try {
            for (List<Entry> batch = next(); batch != null; batch = next()) {
                writer.carryOut(batch);
            }
            writer.retryLast();
        } catch (InterruptedException e) {
            throw new IllegalStateException("the thread of the journal was interrupted", e);
        } finally {
            writer.closeOutputs();
            end();
        }
    }

    private synchronized void end() {
        closing = true;
        ended = true;
        notifyAll();
    }

    /**
     * The next records to write, possibly none if another attempt after a failure is due. Null once
     * the journal is closed and the queue is empty.
     */
    private synchronized @Nullable List<Entry> next() throws InterruptedException {
        underWay = List.of();
        for (long left = untilNext(); left > 0; left = untilNext()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        if (queue.isEmpty() && closing) {
            return null;
        }
        underWay = queue;
        queue = new ArrayList<>();
        awaited = false;
        return underWay;
    }

    @GuardedBy("this")
    private long untilNext() {
        if (closing || awaited) {
            return 0;
        }
        long now = System.nanoTime();
        long left = writer.nextAt() - now;
        return queue.isEmpty() ? left : Math.min(left, queue.getFirst().since + limits.linger() - now);
    }

    /**
     * Notifies the clients of these entries. If one callback throws, the other clients are still
     * notified.
     */
    static void forEach(List<Entry> entries, Consumer<Entry> notify) {
        for (Entry entry : entries) {
            try {
                notify.accept(entry);
            } catch (RuntimeException e) {
                LOG.atError().setCause(e).log("a callback of the journal failed");
            }
        }
    }
}
