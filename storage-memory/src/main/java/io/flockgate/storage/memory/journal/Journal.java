package io.flockgate.storage.memory.journal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.text.Reason;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a journal on its own thread. All records that arrive during one flush share the next.
 *
 * <ol>
 *   <li>Take all queued records as soon as a client waits for one of them, or the oldest has waited
 *       long enough for others to share its flush.
 *   <li>Append them in one write and in their order, then notify the clients that wait for them.
 *   <li>When the file has grown long, replace it with a snapshot of the image, which is the state
 *       that all records so far amount to.
 *   <li>After a failure, fail all waiting clients, and apply the other records only to the image.
 *       After a pause, write a snapshot of the image, and retry until that succeeds. Until then,
 *       {@link #failureReason} reports why no record can be made durable.
 *   <li>While nothing is written, check regularly whether the next start will find the file. If it
 *       was removed, that is a failure.
 * </ol>
 *
 * <p>The number of records that no client waits for is bounded, because each undoes an earlier
 * record. Thread safe.
 */
public final class Journal {
    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);

    /** The maximum number of queued records that clients wait for. */
    private static final int MAX_WAITING = 65_536;

    private final JournalFile file;
    private final Image image;
    private final LongSupplier clock;
    private final Patience patience;
    private volatile @Nullable String failure;
    private volatile boolean busy;
    private volatile long busySince;

    @GuardedBy("this")
    private List<Entry> queue = new ArrayList<>();

    @GuardedBy("this")
    private List<Entry> underWay = List.of();

    @GuardedBy("this")
    private int waitingCount;

    @GuardedBy("this")
    private boolean ended;

    /** Written only under the monitor. */
    private volatile boolean closing;

    /** Confined to the journal's thread. */
    private long retryAt;

    /** Confined to the journal's thread. */
    private long checkAt;

    /**
     * The state that all records of a journal amount to. Confined to the journal's thread once that
     * has been started.
     */
    public interface Image {
        /** Applies a record that is durable, or that a later snapshot makes durable. */
        void apply(byte[] record);

        /** The records of a snapshot. */
        Iterable<byte[]> records();
    }

    /**
     * A client that waits for a record. Exactly one of the methods is called, once, on any thread.
     * It must not block.
     */
    public interface Waiting {
        void durable();

        /**
         * The record is not durable, so it must not be confirmed to the client. The next start may
         * nevertheless find it.
         */
        void failed(String reason);
    }

    private static final class Entry {
        final byte[] record;
        final @Nullable Waiting waiting;
        final long since;
        private final AtomicBoolean settled = new AtomicBoolean();

        Entry(byte[] record, @Nullable Waiting waiting, long since) {
            this.record = record;
            this.waiting = waiting;
            this.since = since;
        }

        void durable() {
            if (waiting != null && settled.compareAndSet(false, true)) {
                waiting.durable();
            }
        }

        void failed(String reason) {
            if (waiting != null && settled.compareAndSet(false, true)) {
                waiting.failed(reason);
            }
        }
    }

    /**
     * Creates a journal for a file that has been read into the image, and writes the image as its
     * first snapshot. If that fails, a file that existed before stays as it is, and the journal
     * retries as after any other failure.
     *
     * @throws IOException if there was no file, and none can be written; the file is then closed
     */
    public static Journal of(JournalFile file, Image image) throws IOException {
        return of(file, image, System::nanoTime, Patience.USUAL);
    }

    static Journal of(JournalFile file, Image image, LongSupplier clock, Patience patience) throws IOException {
        Journal journal = new Journal(file, image, clock, patience);
        try {
            file.rewrite(image.records());
        } catch (IOException e) {
            if (!file.wasFound()) {
                try (file) {
                    throw new IOException("cannot write " + file + ": " + Reason.of(e), e);
                }
            }
            journal.failed(List.of(), e);
        }
        return journal;
    }

    private Journal(JournalFile file, Image image, LongSupplier clock, Patience patience) {
        this.file = file;
        this.image = image;
        this.clock = clock;
        this.patience = patience;
        this.checkAt = clock.getAsLong() + patience.retry();
    }

    /**
     * Starts the thread that writes.
     *
     * @param threads creates the thread, which must never be interrupted
     */
    public void start(ThreadFactory threads) {
        threads.newThread(this::run).start();
    }

    /**
     * Appends records in this order, each with the client that waits for it, or null. Once the
     * journal is closed, appends nothing and fails the waiting clients.
     */
    public void append(List<byte[]> records, List<? extends @Nullable Waiting> waitings) {
        List<Entry> entries = new ArrayList<>(records.size());
        long now = clock.getAsLong();
        for (int i = 0; i < records.size(); i++) {
            entries.add(new Entry(records.get(i), waitings.get(i), now));
        }
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
            if (entry.waiting != null) {
                wake |= waitingCount++ == 0;
            }
        }
        if (wake) {
            notifyAll();
        }
        return true;
    }

    /** Appends one record and the client that waits for it. */
    public void append(byte[] record, Waiting waits) {
        append(List.of(record), List.of(waits));
    }

    /** The reason why no record can be made durable now; empty when one can. */
    public Optional<String> failureReason() {
        String present = failure;
        if (present != null) {
            return Optional.of(present);
        }
        if (closing) {
            return Optional.of(file + " is closed");
        }
        if (busy && clock.getAsLong() - busySince > patience.slow()) {
            return Optional.of("the disk of " + file + " does not answer");
        }
        return Optional.empty();
    }

    /** Whether a client may wait for one more record. */
    public synchronized boolean hasRoom() {
        return waitingCount < MAX_WAITING;
    }

    /**
     * Fails the clients that have waited too long for the disk. To be called about once a second.
     */
    public void failOverdue() {
        List<Entry> overdue = new ArrayList<>();
        synchronized (this) {
            collectOverdue(underWay, overdue);
            collectOverdue(queue, overdue);
        }
        forEach(overdue, entry -> entry.failed("the disk of " + file + " does not answer in time"));
    }

    private void collectOverdue(List<Entry> entries, List<Entry> overdue) {
        long now = clock.getAsLong();
        for (Entry entry : entries) {
            if (entry.waiting != null && now - entry.since > patience.giveUp()) {
                overdue.add(entry);
            }
        }
    }

    /**
     * Accepts no further records. Returns once the accepted ones are durable and the file is
     * closed, or after the maximum wait.
     */
    public synchronized void close() throws InterruptedException {
        closing = true;
        notifyAll();
        long end = clock.getAsLong() + patience.giveUp();
        for (long left = patience.giveUp(); !ended && left > 0; left = end - clock.getAsLong()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    private void run() {
        try {
            for (List<Entry> batch = next(); batch != null; batch = next()) {
                carryOut(batch);
            }
            retryLast();
            file.close();
        } catch (IOException e) {
            LOG.atWarn().addKeyValue("err", Reason.of(e)).log("journal not closed cleanly");
        } catch (InterruptedException e) {
            throw new IllegalStateException("the thread of the journal was interrupted", e);
        } finally {
            end();
        }
    }

    /** Makes one last attempt after a failure to write the records that no client waits for. */
    private void retryLast() {
        if (failure != null) {
            retryAt = clock.getAsLong();
            carryOut(List.of());
        }
        if (failure != null) {
            LOG.atWarn()
                    .addKeyValue("file", file)
                    .addKeyValue("err", failure)
                    .log(
                            "closing without the last records: what has ended since the failure continues at the next start");
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
        waitingCount = 0;
        return underWay;
    }

    @GuardedBy("this")
    private long untilNext() {
        if (closing || waitingCount > 0) {
            return 0;
        }
        long now = clock.getAsLong();
        long left = (failure == null ? checkAt : retryAt) - now;
        return queue.isEmpty() ? left : Math.min(left, queue.getFirst().since + patience.linger() - now);
    }

    private void carryOut(List<Entry> batch) {
        busySince = clock.getAsLong();
        busy = true;
        try {
            if (failure == null) {
                write(batch);
            } else {
                replace(batch);
            }
        } catch (IOException | RuntimeException e) {
            failed(batch, e);
        } finally {
            busy = false;
        }
    }

    private void write(List<Entry> batch) throws IOException {
        checkAt = clock.getAsLong() + patience.retry();
        if (batch.isEmpty()) {
            file.check();
            return;
        }
        file.append(batch.stream().map(entry -> entry.record).toList());
        batch.forEach(entry -> image.apply(entry.record));
        forEach(batch, Entry::durable);
        file.shortenIfLong(image::records);
    }

    /**
     * Notifies the clients of these entries. If one callback throws, the other clients are still
     * notified.
     */
    private static void forEach(List<Entry> entries, Consumer<Entry> notify) {
        for (Entry entry : entries) {
            try {
                notify.accept(entry);
            } catch (RuntimeException e) {
                LOG.atError().setCause(e).log("a callback of the journal failed");
            }
        }
    }

    /** Fails the waiting clients, and rewrites the journal if another attempt is due. */
    private void replace(List<Entry> batch) throws IOException {
        String reason = String.valueOf(failure);
        applyOthers(batch);
        forEach(batch, entry -> entry.failed(reason));
        if (clock.getAsLong() - retryAt >= 0) {
            file.rewrite(image.records());
            failure = null;
            LOG.atInfo().addKeyValue("file", file).log("journal is writable again");
        }
    }

    private void applyOthers(List<Entry> batch) {
        batch.stream().filter(entry -> entry.waiting == null).forEach(entry -> image.apply(entry.record));
    }

    private void failed(List<Entry> batch, Exception e) {
        retryAt = clock.getAsLong() + patience.retry();
        if (failure == null) {
            LOG.atWarn()
                    .addKeyValue("file", file)
                    .addKeyValue("err", Reason.of(e))
                    .log("cannot write the journal; retrying");
            applyOthers(batch);
        }
        String reason = "cannot write " + file + ": " + Reason.of(e);
        failure = reason;
        forEach(batch, entry -> entry.failed(reason));
    }
}
