package io.flockgate.storage.memory.journal;

import io.flockgate.storage.memory.file.DataDirectory;
import io.flockgate.storage.memory.file.LockedDirectory;
import io.flockgate.storage.memory.journal.JournalRecord.Ceiling;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The state that outlives the process, opened and closed as a whole: grants and fences in a data
 * directory, fences in dflockd's state file, or both. One journal writes them. Thread safe.
 */
public final class DurableState implements Closeable {
    private final FenceCounter fences = FenceCounter.durable(this::request);
    private final Journal journal;
    private final @Nullable KeptGrants grants;

    private DurableState(@Nullable FenceStateFile stateFile, @Nullable DataDirectory directory, long clockNanos)
            throws IOException {
        GrantImage image = new GrantImage(new SecureRandom().nextLong(), fences::raiseTo);
        List<Journal.Output> outputs = new ArrayList<>();
        if (stateFile != null) {
            image.apply(new Ceiling(stateFile.ceiling()));
            outputs.add(stateFile);
        }
        if (directory != null) {
            outputs.add(JournalFile.open(directory, image::apply, JournalFile.MIN_GROWTH));
        }
        image.apply(new Ceiling(fences.begin(Math.max(0, clockNanos), image.ceiling())));
        List<GrantRecord> restored = image.grants();
        this.journal = Journal.open(outputs, image, Journal.TimeLimits.USUAL);
        this.grants = directory == null ? null : new KeptGrants(journal, image.id(), restored);
    }

    /**
     * Opens or creates the files, and locks them until {@link #close}. Blocks on the disk.
     *
     * @param stateFile its fences become a lower limit, and it is kept up to date
     * @param clockNanos the wall clock in nanoseconds since 1970, another lower limit of fences
     * @throws IOException with a message for the operator, if a file is in use, damaged or not
     *     writable, or the fences are exhausted. On a disk that cannot be written, existing grants
     *     are nevertheless served, and fences follow as soon as the disk works
     */
    public static DurableState open(Optional<Path> directory, Optional<Path> stateFile, long clockNanos)
            throws IOException {
        FenceStateFile fences = stateFile.isPresent() ? FenceStateFile.open(stateFile.get()) : null;
        try {
            return open(
                    fences, directory.isPresent() ? LockedDirectory.open(directory.get(), "grants") : null, clockNanos);
        } catch (IOException | RuntimeException e) {
            try (fences) {
                throw e;
            }
        }
    }

    /** Takes ownership of the file and the directory, and closes them on failure. */
    static DurableState open(@Nullable FenceStateFile stateFile, @Nullable DataDirectory directory, long clockNanos)
            throws IOException {
        try {
            return new DurableState(stateFile, directory, clockNanos);
        } catch (IOException | RuntimeException e) {
            try (stateFile;
                    directory) {
                throw e;
            }
        }
    }

    private void request(long ceiling) {
        journal.append(List.of(journal.entry(new Ceiling(ceiling), null)));
    }

    public FenceCounter fences() {
        return fences;
    }

    /** The grants that outlive the process; null without a data directory. */
    public @Nullable KeptGrants grants() {
        return grants;
    }

    /** The reason why no fence can be issued, or no grant be kept now; empty when both can. */
    public Optional<String> failureReason() {
        Optional<String> noFence = fences.failureReason();
        return noFence.isEmpty() && grants == null
                ? Optional.empty()
                : journal.failureReason().or(() -> noFence);
    }

    /**
     * Stops issuing fences, makes all accepted changes durable, and closes the files. A grant that
     * ends in memory later continues in the next process. Blocks, for three seconds at most.
     */
    @Override
    public void close() {
        fences.close();
        try {
            journal.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
