package io.flockgate.storage.memory.journal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.flockgate.text.Reason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes records durable on its own thread. All records that arrive during one flush share the next.
 *
 * <ol>
 *   <li>Take all queued records as soon as a client waits for one of them, or the oldest has waited
 *       long enough for others to share its flush.
 *   <li>Append them to each output in one write and in their order, then notify the clients that
 *       wait for them.
 *   <li>When an output has grown long, replace it with a snapshot of the image, which is the state
 *       that all records so far amount to.
 *   <li>After a failure, fail all waiting clients, and apply the other records only to the image.
 *       After a pause, write a snapshot of the image, and retry until that succeeds. Until then,
 *       {@link #failureReason} reports why no record can be made durable.
 *   <li>While nothing is written, check regularly whether the next start will find the records. If
 *       a file was removed, that is a failure.
 * </ol>
 *
 * <p>The number of records that no client waits for is bounded, because each undoes an earlier
 * record or raises the fence ceiling. Thread safe.
 */
final class Journal {
    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);

    /** The maximum number of queued records that clients wait for. */
    private static final int MAX_WAITING = 65_536;

    private final List<? extends Output> outputs;
    private final String name;
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

    /** A file that the journal writes. For one thread at a time. */
    interface Output extends Closeable {
        /** Makes these records durable as a unit: the next start finds all of them or none. */
        void append(List<byte[]> records) throws IOException;

        /** Replaces all records by these. If that fails, the old ones still exist. */
        void rewrite(Iterable<byte[]> records) throws IOException;

        /** Replaces the records by a snapshot, if that is worth its cost. */
        default void shortenIfLong(Supplier<Iterable<byte[]>> snapshot) {}

        /** Checks that the next start will find the file. */
        default void check() throws IOException {}

        /** Whether there are grants in it to serve, even if it cannot be written at the start. */
        default boolean wasFound() {
            return false;
        }
    }

    /**
     * The state that all records of a journal amount to. Confined to the journal's thread once that
     * has been started.
     */
    interface Image {
        /** Applies a record that is durable, or that a later snapshot makes durable. */
        void apply(byte[] record);

        /** The records of a snapshot. */
        Iterable<byte[]> records();

        /** Everything that has been applied is durable. */
        void durable();
    }

    /** A record to append. */
    static final class Entry {
        private final byte[] record;
        private final @Nullable Promise<Void> written;
        private final long since;

        private Entry(byte[] record, @Nullable Promise<Void> written, long since) {
            this.record = record;
            this.written = written;
            this.since = since;
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
     * @throws IOException if that fails otherwise; the files are then closed
     */
    static Journal open(List<? extends Output> outputs, Image image) throws IOException {
        return open(outputs, image, System::nanoTime, Patience.USUAL);
    }

    static Journal open(List<? extends Output> outputs, Image image, LongSupplier clock, Patience patience)
            throws IOException {
        Journal journal = new Journal(outputs, image, clock, patience);
        try {
            journal.rewrite();
        } catch (IOException e) {
            if (outputs.stream().noneMatch(Output::wasFound)) {
                journal.closeOutputs();
                throw e;
            }
            journal.failed(List.of(), e);
        }
        Thread.ofPlatform().daemon().name("flockgate-journal").start(journal::run);
        return journal;
    }

    private Journal(List<? extends Output> outputs, Image image, LongSupplier clock, Patience patience) {
        this.outputs = outputs;
        this.name = outputs.stream().map(Output::toString).collect(Collectors.joining(" and "));
        this.image = image;
        this.clock = clock;
        this.patience = patience;
        this.checkAt = clock.getAsLong() + patience.retry();
    }

    /**
     * An entry for {@link #append(List)}, queued from now on.
     *
     * @param written completes once the record is durable; null if no client waits for that. If it
     *     fails, the record must not be confirmed, although the next start may find it
     */
    Entry entry(byte[] record, @Nullable Promise<Void> written) {
        return new Entry(record, written, clock.getAsLong());
    }

    /** Appends one record, and completes once it is durable. */
    Future<Void> append(byte[] record) {
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
            if (entry.written != null) {
                wake |= waitingCount++ == 0;
            }
        }
        if (wake) {
            notifyAll();
        }
        return true;
    }

    /** The reason why no record can be made durable now; empty when one can. */
    Optional<String> failureReason() {
        String present = failure;
        if (present != null) {
            return Optional.of(present);
        }
        if (closing) {
            return Optional.of(name + " is closed");
        }
        if (busy && clock.getAsLong() - busySince > patience.slow()) {
            return Optional.of("the disk of " + name + " does not answer");
        }
        return Optional.empty();
    }

    /** Whether a client may wait for one more record. */
    synchronized boolean hasRoom() {
        return waitingCount < MAX_WAITING;
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
        forEach(overdue, entry -> entry.failed("the disk of " + name + " does not answer in time"));
    }

    private void collectOverdue(List<Entry> entries, List<Entry> overdue) {
        long now = clock.getAsLong();
        for (Entry entry : entries) {
            if (entry.written != null && now - entry.since > patience.giveUp()) {
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
        } catch (InterruptedException e) {
            throw new IllegalStateException("the thread of the journal was interrupted", e);
        } finally {
            closeOutputs();
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
                    .addKeyValue("err", failure)
                    .log(
                            "closing without the last records: what has ended since the failure continues at the next start");
        }
    }

    private void closeOutputs() {
        for (Output output : outputs) {
            try {
                output.close();
            } catch (IOException e) {
                LOG.atWarn()
                        .addKeyValue("file", output)
                        .addKeyValue("err", Reason.of(e))
                        .log("file not closed cleanly");
            }
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
            onEach(Output::check);
            return;
        }
        List<byte[]> records = batch.stream().map(entry -> entry.record).toList();
        onEach(output -> output.append(records));
        records.forEach(image::apply);
        image.durable();
        forEach(batch, Entry::durable);
        outputs.forEach(output -> output.shortenIfLong(image::records));
    }

    private void rewrite() throws IOException {
        onEach(output -> output.rewrite(image.records()));
        image.durable();
    }

    private interface Step {
        void apply(Output output) throws IOException;
    }

    private void onEach(Step step) throws IOException {
        for (Output output : outputs) {
            try {
                step.apply(output);
            } catch (IOException e) {
                throw new IOException("cannot write " + output + ": " + Reason.of(e), e);
            }
        }
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

    /** Fails the waiting clients, and rewrites the files if another attempt is due. */
    private void replace(List<Entry> batch) throws IOException {
        String reason = String.valueOf(failure);
        applyOthers(batch);
        forEach(batch, entry -> entry.failed(reason));
        if (clock.getAsLong() - retryAt >= 0) {
            rewrite();
            failure = null;
            LOG.atInfo().addKeyValue("file", name).log("journal is writable again");
        }
    }

    private void applyOthers(List<Entry> batch) {
        batch.stream().filter(entry -> entry.written == null).forEach(entry -> image.apply(entry.record));
    }

    private void failed(List<Entry> batch, Exception e) {
        retryAt = clock.getAsLong() + patience.retry();
        String reason = Reason.of(e);
        if (failure == null) {
            LOG.atWarn().addKeyValue("err", reason).log("cannot write the journal; retrying");
            applyOthers(batch);
        }
        failure = reason;
        forEach(batch, entry -> entry.failed(reason));
    }
}
