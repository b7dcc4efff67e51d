package io.flockgate.storage.memory.journal;

import io.flockgate.storage.memory.journal.Journal.Entry;
import io.flockgate.storage.memory.journal.Journal.Output;
import io.flockgate.storage.memory.journal.Journal.TimeLimits;
import io.flockgate.text.Reason;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the records of a journal. For the journal's thread only, except {@link #failureReason}.
 *
 * <ol>
 *   <li>Append the records to each output in one write and in their order, then notify the clients
 *       that wait for them.
 *   <li>When an output has grown long, replace it with a snapshot of the image, which is the state
 *       that all records so far amount to.
 *   <li>After a failure, fail all waiting clients, and apply the other records only to the image.
 *       After a pause, write a snapshot of the image, and retry until that succeeds. Until then,
 *       {@link #failureReason} reports why no record can be made durable.
 *   <li>While nothing is written, check regularly whether the next start will find the records. If
 *       a file was removed, that is a failure.
 * </ol>
 */
final class JournalWriter {
    private static final Logger LOG = LoggerFactory.getLogger(JournalWriter.class);

    private final List<? extends Output> outputs;
    private final String name;
    private final GrantImage image;
    private final TimeLimits limits;
    private volatile @Nullable String failure;
    private volatile boolean busy;
    private volatile long busySince;
    private long retryAt;
    private long checkAt;

    JournalWriter(List<? extends Output> outputs, GrantImage image, TimeLimits limits) {
        this.outputs = outputs;
        this.name = outputs.stream().map(Output::toString).collect(Collectors.joining(" and "));
        this.image = image;
        this.limits = limits;
        this.checkAt = System.nanoTime() + limits.retry();
    }

    /** The names of the files. */
    String name() {
        return name;
    }

    /**
     * Writes the image as the first snapshot. If that fails, and there are grants to serve, it is
     * retried as after any other failure.
     *
     * @throws IOException if that fails otherwise; the caller then closes the files
     */
    void begin() throws IOException {
        try {
            rewrite();
        } catch (IOException e) {
            if (outputs.stream().noneMatch(Output::wasFound)) {
                throw e;
            }
            failed(List.of(), e);
        }
    }

    /** The time at which there is work even without records: a check, or another attempt. */
    long nextAt() {
        return failure == null ? checkAt : retryAt;
    }

    /** The reason why no record can be made durable now; empty when one can. Thread safe. */
    Optional<String> failureReason() {
        String present = failure;
        if (present == null && busy && System.nanoTime() - busySince > limits.slow()) {
            return Optional.of("the disk of " + name + " does not answer");
        }
        return Optional.ofNullable(present);
    }

    /** Makes one last attempt after a failure to write the records that no client waits for. */
    void retryLast() {
        if (failure != null) {
            retryAt = System.nanoTime();
            carryOut(List.of());
        }
        if (failure != null) {
            LOG.atWarn()
                    .addKeyValue("err", failure)
                    .log("closing without the last records: what has ended since the failure continues at the next"
                            + " start");
        }
    }

    void closeOutputs() {
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

    /** Writes these records, or makes the check or the attempt that is due. */
    void carryOut(List<Entry> batch) {
        busySince = System.nanoTime();
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
        checkAt = System.nanoTime() + limits.retry();
        if (batch.isEmpty()) {
            onEach(Output::check);
            return;
        }
        List<JournalRecord> records = batch.stream().map(Entry::record).toList();
        onEach(output -> output.append(records));
        records.forEach(image::apply);
        image.durable();
        Journal.forEach(batch, Entry::durable);
        outputs.stream().filter(Output::isLong).forEach(this::shorten);
    }

    /** All records are durable, so a failure is only logged. */
    private void shorten(Output output) {
        try {
            output.rewrite(image.records());
        } catch (IOException e) {
            LOG.atWarn()
                    .addKeyValue("file", output)
                    .addKeyValue("err", Reason.of(e))
                    .log("cannot shorten the journal; it goes on growing");
        }
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

    /** Fails the waiting clients, and rewrites the files if another attempt is due. */
    private void replace(List<Entry> batch) throws IOException {
        String reason = String.valueOf(failure);
        applyOthers(batch);
        Journal.forEach(batch, entry -> entry.failed(reason));
        if (System.nanoTime() - retryAt >= 0) {
            rewrite();
            failure = null;
            LOG.atInfo().addKeyValue("file", name).log("journal is writable again");
        }
    }

    private void applyOthers(List<Entry> batch) {
        batch.stream().filter(entry -> !entry.isAwaited()).forEach(entry -> image.apply(entry.record()));
    }

    private void failed(List<Entry> batch, Exception e) {
        retryAt = System.nanoTime() + limits.retry();
        String reason = Reason.of(e);
        if (failure == null) {
            LOG.atWarn().addKeyValue("err", reason).log("cannot write the journal; retrying");
            applyOthers(batch);
        }
        failure = reason;
        Journal.forEach(batch, entry -> entry.failed(reason));
    }
}
