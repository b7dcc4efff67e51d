package io.flockgate.storage.memory.fence;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.file.Directories;
import io.flockgate.storage.memory.file.LockedFile;
import io.flockgate.storage.memory.file.StateDisk;
import io.flockgate.text.Reason;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The file that keeps the fence ceiling across restarts. It has two slots of one checksummed record
 * each, written in turn, so that a torn write leaves the previous record intact. Only one owner can
 * have it open: this class locks it before the first read and keeps the lock until {@link #close}.
 * Thread safe.
 */
final class FenceStateFile implements CeilingStore {
    private final StateDisk disk;

    @GuardedBy("this")
    private FenceRecord durable;

    @GuardedBy("this")
    private boolean nameDurable;

    @GuardedBy("this")
    private boolean closed;

    private FenceStateFile(StateDisk disk, FenceRecord newest) {
        this.disk = disk;
        this.durable = newest;
    }

    /**
     * Opens, or creates with mode 0600, and locks the file. Creates its directory if it is missing.
     *
     * @throws IOException when it cannot be opened, locked or read, or contains no valid ceiling
     */
    static FenceStateFile open(Path path) throws IOException {
        Path directory = path.toAbsolutePath().getParent();
        try {
            if (directory != null) {
                Directories.create(directory);
            }
        } catch (IOException | UnsupportedOperationException e) {
            throw new IOException("cannot make the directory of " + path + ": " + Reason.of(e), e);
        }
        return open(LockedFile.open(path));
    }

    /** Takes ownership of an open disk, and closes it if it contains no valid ceiling. */
    static FenceStateFile open(StateDisk disk) throws IOException {
        try {
            byte[] content = disk.read(FenceRecord.MAX_FILE + 1);
            FenceRecord newest = FenceRecord.newest(content)
                    .orElseThrow(() -> new IOException(disk + " is malformed: it holds no valid fence record"));
            return new FenceStateFile(disk, newest);
        } catch (IOException | RuntimeException e) {
            try (disk) {
                throw e;
            }
        }
    }

    @Override
    public synchronized long ceiling() {
        return durable.ceiling();
    }

    @Override
    public synchronized void raise(long ceiling) throws IOException {
        if (closed) {
            throw new IOException("fence state file is closed");
        }
        if (Long.compareUnsigned(ceiling, durable.ceiling()) <= 0) {
            throw new IllegalArgumentException("ceiling would not rise");
        }
        FenceRecord next = new FenceRecord(durable.sequence() + 1, ceiling);
        if (next.sequence() == 0) {
            throw new IOException("fence state file has no sequence number left");
        }
        // After a failure the next attempt writes the same slot again, because the other one
        // contains the durable record.
        disk.write(next.offset(), next.encode());
        disk.sync();
        if (!nameDurable) {
            disk.syncDirectory();
            nameDurable = true;
        }
        durable = next;
    }

    /** Waits for a raise in progress. Later raises fail. Idempotent. */
    @Override
    public synchronized void close() throws IOException {
        if (!closed) {
            closed = true;
            disk.close();
        }
    }
}
