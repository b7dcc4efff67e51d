package io.flockgate.storage.memory.journal;

import io.flockgate.storage.memory.file.DataDirectory;
import io.flockgate.text.Reason;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of a journal: records that are appended, and a snapshot that replaces them all.
 *
 * <ol>
 *   <li>A start reads all records. The journal then writes what they amount to as a snapshot, which
 *       leaves a torn end behind.
 *   <li>A snapshot is written to a file of another name and synced. The file is renamed in place of
 *       the old one, and the directory is synced.
 *   <li>An append writes one frame and syncs the file, provided that the name of the file still
 *       leads to it.
 * </ol>
 *
 * <p>A file whose write or sync has failed is not used again, because it is unknown which of its
 * bytes are durable, and a later sync would not report that. The next snapshot replaces it.
 */
final class JournalFile implements Journal.Output {
    private static final Logger LOG = LoggerFactory.getLogger(JournalFile.class);
    private static final String NAME = "grants.journal";
    private static final String NEW_NAME = NAME + ".new";
    private static final int SNAPSHOT_FRAME_BYTES = 256 * 1024;

    /** A file that has grown by less is not replaced. */
    static final long MIN_GROWTH = 4 * 1024 * 1024;

    private static final String REMEDY =
            "Wait until the leases of all clients have ended, and then move it away, so that no key is held and"
                    + " fences begin above the clock; or put back a copy, which may hold keys that were released since";

    private final DataDirectory directory;
    private final long minGrowth;
    private boolean found;

    /** Null until the first snapshot, and after a failure from which only a snapshot recovers. */
    private DataDirectory.@Nullable File file;

    /** Those of the file. */
    private Frames frames = Frames.random();

    private long snapshotLength;
    private long length;

    private JournalFile(DataDirectory directory, long minGrowth) {
        this.directory = directory;
        this.minGrowth = minGrowth;
    }

    /**
     * Reads the file. Nothing is written yet: {@link #rewrite} must follow. The directory is closed
     * with the file, but not on failure.
     *
     * @param minGrowth a file that has grown by less is not replaced
     * @throws IOException with a message for the operator
     */
    static JournalFile open(DataDirectory directory, Consumer<JournalRecord> records, long minGrowth)
            throws IOException {
        JournalFile journal = new JournalFile(directory, minGrowth);
        Optional<DataDirectory.Content> content = directory.read(NAME);
        if (content.isPresent()) {
            journal.read(content.get(), records);
        }
        return journal;
    }

    private void read(DataDirectory.Content content, Consumer<JournalRecord> records) throws IOException {
        try {
            long intact = Frames.read(content, bytes -> records.accept(JournalRecord.decode(bytes)));
            if (intact < content.length()) {
                LOG.atWarn()
                        .addKeyValue("file", this)
                        .addKeyValue("bytes", content.length() - intact)
                        .log("cutting off the end of a journal, which the last process did not finish writing");
            }
            found = true;
        } catch (IOException e) {
            throw new IOException(
                    "the file " + this + " cannot be used: " + Reason.of(e) + ". It was left as it is. " + REMEDY, e);
        }
    }

    @Override
    public boolean wasFound() {
        return found;
    }

    @Override
    public boolean isLong() {
        return length - snapshotLength > Math.max(minGrowth, snapshotLength);
    }

    @Override
    public void append(List<JournalRecord> records) throws IOException {
        DataDirectory.File out = file;
        if (out == null) {
            throw new IOException("it must be written anew first");
        }
        directory.check(NAME, out);
        byte[] frame = frames.frame(records.stream().map(JournalRecord::encode).toList());
        try {
            out.write(frame);
            out.sync();
        } catch (IOException e) {
            discard();
            throw e;
        }
        length += frame.length;
    }

    @Override
    public void check() throws IOException {
        DataDirectory.File out = file;
        if (out != null) {
            directory.check(NAME, out);
        }
    }

    @Override
    public void rewrite(List<JournalRecord> records) throws IOException {
        // If this fails, the file is not long before it has grown by as much once more.
        snapshotLength = length;
        directory.checkLock();
        Frames fresh = Frames.random();
        DataDirectory.File next = directory.create(NEW_NAME);
        long written;
        try {
            written = write(next, fresh, records);
            next.sync();
        } catch (IOException e) {
            closeQuietly(next);
            deleteNew(e);
            throw e;
        }
        discard();
        try {
            directory.rename(NEW_NAME, NAME);
            directory.sync();
        } catch (IOException e) {
            closeQuietly(next);
            throw e;
        }
        file = next;
        frames = fresh;
        length = written;
        snapshotLength = written;
    }

    private void deleteNew(IOException cause) {
        try {
            directory.delete(NEW_NAME);
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    private static long write(DataDirectory.File out, Frames frames, List<JournalRecord> records) throws IOException {
        long written = write(out, frames.head());
        List<byte[]> frame = new ArrayList<>();
        int bytes = 0;
        for (JournalRecord each : records) {
            byte[] record = each.encode();
            frame.add(record);
            bytes += record.length;
            if (bytes >= SNAPSHOT_FRAME_BYTES) {
                written += write(out, frames.frame(frame));
                frame.clear();
                bytes = 0;
            }
        }
        if (!frame.isEmpty()) {
            written += write(out, frames.frame(frame));
        }
        return written + write(out, frames.frame(List.of()));
    }

    private static long write(DataDirectory.File out, byte[] bytes) throws IOException {
        out.write(bytes);
        return bytes.length;
    }

    private void discard() {
        closeQuietly(file);
        file = null;
    }

    private static void closeQuietly(DataDirectory.@Nullable File old) {
        try {
            if (old != null) {
                old.close();
            }
        } catch (IOException e) {
            LOG.debug("a file that is no longer used was not closed cleanly", e);
        }
    }

    @Override
    public void close() throws IOException {
        discard();
        directory.close();
    }

    /** The name of the file and its directory. */
    @Override
    public String toString() {
        return NAME + " in " + directory;
    }
}
