package io.flockgate.storage.memory.journal;

import io.flockgate.storage.memory.file.DataDirectory;
import io.flockgate.text.Reason;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A journal on disk: records that are appended, and a snapshot that replaces them all. For one
 * thread at a time.
 *
 * <ol>
 *   <li>A start reads all records. It then writes what they amount to as a snapshot, which leaves a
 *       torn end behind.
 *   <li>A snapshot is written to a file of another name and synced. The file is renamed in place of
 *       the old one, and the directory is synced.
 *   <li>An append writes one frame and syncs the file, provided that the name of the file still
 *       leads to it.
 * </ol>
 *
 * <p>A failed write is cut off again. A file whose sync has failed is not used again, because it is
 * unknown which of its bytes are durable, and a later sync would not report that. The next snapshot
 * replaces it.
 */
public final class JournalFile implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(JournalFile.class);
    private static final int SNAPSHOT_FRAME_BYTES = 256 * 1024;

    /** A file that has grown by less is not replaced. */
    private static final long MIN_GROWTH = 4 * 1024 * 1024;

    private final DataDirectory directory;
    private final String kind;
    private final long minGrowth;

    /** Null until the first snapshot, and after a failure from which only a snapshot recovers. */
    private DataDirectory.@Nullable File file;

    private boolean found;

    /** Those of the file. */
    private Frames frames = Frames.random();

    private long snapshotLength;
    private long length;
    private boolean certain = true;

    /** Receives the records of a file in their order. */
    public interface Reader {
        /**
         * Accepts the next record.
         *
         * @throws IOException with the reason for an operator, if the record cannot be from such a
         *     file
         */
        void read(byte[] record) throws IOException;
    }

    private JournalFile(DataDirectory directory, String kind, long minGrowth) {
        this.directory = directory;
        this.kind = kind;
        this.minGrowth = minGrowth;
    }

    /**
     * Takes ownership of the directory, and closes it on failure. Nothing is written yet: {@link
     * #rewrite} must follow.
     *
     * @param kind the name of the file, and of the kind of its records
     * @param remedy what an operator can do about a damaged file, as a sentence without its full
     *     stop
     * @throws IOException with a message for the operator
     */
    public static JournalFile open(DataDirectory directory, String kind, String remedy, Reader records)
            throws IOException {
        return open(directory, kind, remedy, records, MIN_GROWTH);
    }

    static JournalFile open(DataDirectory directory, String kind, String remedy, Reader records, long minGrowth)
            throws IOException {
        JournalFile journal = new JournalFile(directory, kind, minGrowth);
        try {
            Optional<DataDirectory.Content> content = directory.read(journal.name());
            if (content.isPresent()) {
                journal.read(content.get(), remedy, records);
                journal.found = true;
            }
            return journal;
        } catch (IOException | RuntimeException e) {
            try (directory) {
                throw e;
            }
        }
    }

    private void read(DataDirectory.Content content, String remedy, Reader reader) throws IOException {
        try {
            long intact = Frames.read(content, kind, reader);
            if (intact < content.length()) {
                LOG.atWarn()
                        .addKeyValue("file", this)
                        .addKeyValue("bytes", content.length() - intact)
                        .log("cutting off the end of a journal, which the last process did not finish writing");
            }
        } catch (IOException e) {
            throw new IOException(
                    "the file " + this + " cannot be used: " + Reason.of(e) + ". It was left as it is. " + remedy, e);
        }
    }

    private String name() {
        return kind + ".journal";
    }

    private String newName() {
        return name() + ".new";
    }

    /** Whether the file existed when it was opened. */
    boolean wasFound() {
        return found;
    }

    /** Whether the next start will find the confirmed records and nothing else. */
    public boolean isCertain() {
        return certain;
    }

    /**
     * Replaces the records by a snapshot, if enough was appended to make that worth its cost. All
     * records are durable, so a failure is only logged. The next attempt comes after the file has
     * grown by as much once more.
     */
    public void shortenIfLong(Supplier<Iterable<byte[]>> snapshot) {
        if (length - snapshotLength <= Math.max(minGrowth, snapshotLength)) {
            return;
        }
        snapshotLength = length;
        try {
            rewrite(snapshot.get());
        } catch (IOException e) {
            LOG.atWarn()
                    .addKeyValue("file", this)
                    .addKeyValue("err", Reason.of(e))
                    .log("cannot shorten the journal; it goes on growing");
        }
    }

    /**
     * Makes these records durable as a unit: the next start finds all of them or none.
     *
     * @throws IOException if they are not durable. The next start may find them only if the journal
     *     is not {@link #isCertain certain}
     */
    public void append(List<byte[]> records) throws IOException {
        DataDirectory.File out = file;
        if (out == null) {
            throw new IOException(this + " must be written anew first");
        }
        directory.check(name(), out);
        byte[] frame = frames.frame(records);
        try {
            out.write(frame);
        } catch (IOException e) {
            cutOff(out, e);
            throw e;
        }
        sync(out);
        length += frame.length;
    }

    /**
     * Checks that the next start will find the file.
     *
     * @throws IOException if the file or its directory has been removed or replaced
     */
    void check() throws IOException {
        DataDirectory.File out = file;
        if (out != null) {
            directory.check(name(), out);
        }
    }

    private void cutOff(DataDirectory.File out, IOException cause) {
        try {
            out.truncate(length);
            sync(out);
        } catch (IOException e) {
            cause.addSuppressed(e);
            discard();
        }
    }

    private void sync(DataDirectory.File out) throws IOException {
        try {
            out.sync();
        } catch (IOException e) {
            discard();
            throw e;
        }
    }

    private void discard() {
        certain = false;
        closeQuietly(file);
        file = null;
    }

    /**
     * Replaces all records by these.
     *
     * @throws IOException if that fails; the old records then still exist, and the journal is not
     *     certain if the new ones may exist as well
     */
    public void rewrite(Iterable<byte[]> records) throws IOException {
        directory.checkLock();
        Frames fresh = Frames.random();
        DataDirectory.File next = directory.create(newName());
        long written;
        try {
            written = write(next, fresh, records);
            next.sync();
        } catch (IOException e) {
            abandon(next, e);
            throw e;
        }
        discard();
        try {
            directory.rename(newName(), name());
            directory.sync();
        } catch (IOException e) {
            closeQuietly(next);
            throw e;
        }
        file = next;
        frames = fresh;
        certain = true;
        length = written;
        snapshotLength = written;
    }

    private void abandon(DataDirectory.File next, IOException cause) {
        closeQuietly(next);
        try {
            directory.delete(newName());
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    private long write(DataDirectory.File out, Frames frames, Iterable<byte[]> records) throws IOException {
        long written = write(out, frames.head(kind));
        List<byte[]> frame = new ArrayList<>();
        int bytes = 0;
        for (byte[] record : records) {
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
        closeQuietly(file);
        file = null;
        directory.close();
    }

    /** The name of the file and its directory. */
    @Override
    public String toString() {
        return name() + " in " + directory;
    }
}
