package io.flockgate.storage.memory.journal;

import io.flockgate.file.Directories;
import io.flockgate.storage.memory.file.Flock;
import io.flockgate.text.Reason;
import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.List;

/**
 * Keeps the fence ceiling of a journal in dflockd's file format, and nothing else of it. The file
 * has two slots of one checksummed record each, written in turn, so that a torn write leaves the
 * previous record intact. It is locked before the first read and until it is closed. For one thread
 * at a time.
 */
final class FenceStateFile implements Journal.Output {
    private final Disk disk;
    private FenceRecord durable;

    /** The open, locked file. An interface, so that tests can make each operation fail. */
    interface Disk extends Closeable {
        /** The first bytes of the file, at most {@code limit}: fewer only where the file ends. */
        byte[] read(int limit) throws IOException;

        /** Returns once these bytes, the file's length and its name are durable. */
        void write(long offset, byte[] bytes) throws IOException;
    }

    private FenceStateFile(Disk disk, FenceRecord newest) {
        this.disk = disk;
        this.durable = newest;
    }

    /**
     * Opens, or creates with mode 0600, and locks the file. Creates its directory if it is missing.
     *
     * @throws IOException when it cannot be opened, locked or read, or contains no valid ceiling
     */
    static FenceStateFile open(Path path) throws IOException {
        try {
            Directories.create(path.toAbsolutePath().resolveSibling(""));
        } catch (IOException | UnsupportedOperationException e) {
            throw new IOException("cannot make the directory of " + path + ": " + Reason.of(e), e);
        }
        try {
            return open(LockedFile.open(path));
        } catch (FileSystemException | UnsupportedOperationException e) {
            throw new IOException("cannot use " + path + ": " + Reason.of(e), e);
        }
    }

    /** Takes ownership of an open disk, and closes it if it contains no valid ceiling. */
    static FenceStateFile open(Disk disk) throws IOException {
        try {
            // One byte more than a valid file, so that a longer one shows.
            FenceRecord newest = FenceRecord.newest(disk.read(FenceRecord.MAX_FILE + 1))
                    .orElseThrow(() -> new IOException(disk + " is malformed: it holds no valid fence record"));
            return new FenceStateFile(disk, newest);
        } catch (IOException | RuntimeException e) {
            try (disk) {
                throw e;
            }
        }
    }

    /** The durable ceiling, unsigned; 0 when there is none. No fence above it has been issued. */
    long ceiling() {
        return durable.ceiling();
    }

    @Override
    public void append(List<byte[]> records) throws IOException {
        rewrite(records);
    }

    @Override
    public void rewrite(Iterable<byte[]> records) throws IOException {
        for (byte[] record : records) {
            if (record[0] == Changes.CEILING) {
                raise(Changes.fence(record));
            }
        }
    }

    void raise(long ceiling) throws IOException {
        if (Long.compareUnsigned(ceiling, ceiling()) <= 0) {
            return;
        }
        FenceRecord next = new FenceRecord(durable.sequence() + 1, ceiling);
        if (next.sequence() == 0) {
            throw new IOException("fence state file has no sequence number left");
        }
        // After a failure the next attempt writes the same slot again, because the other one
        // contains the durable record.
        disk.write(next.offset(), next.encode());
        durable = next;
    }

    @Override
    public void close() throws IOException {
        disk.close();
    }

    @Override
    public String toString() {
        return disk.toString();
    }

    /**
     * Reads and writes use a second descriptor, opened from the locked one, so that they reach the
     * locked file even if it has been renamed.
     */
    private record LockedFile(Flock lock, RandomAccessFile file, Path path, Path directory) implements Disk {
        static LockedFile open(Path path) throws IOException {
            Flock lock = Flock.open(path);
            try {
                RandomAccessFile file = new RandomAccessFile(lock.path().toFile(), "rw");
                return new LockedFile(lock, file, path, path.toRealPath().resolveSibling(""));
            } catch (IOException | RuntimeException e) {
                try (lock) {
                    throw e;
                }
            }
        }

        @Override
        public byte[] read(int limit) throws IOException {
            byte[] bytes = new byte[(int) Math.min(limit, file.length())];
            file.seek(0);
            file.readFully(bytes);
            return bytes;
        }

        @Override
        public void write(long offset, byte[] bytes) throws IOException {
            file.seek(offset);
            file.write(bytes);
            file.getFD().sync();
            Directories.sync(directory);
        }

        /** Releases the lock last, so that nothing is written without it. */
        @Override
        public void close() throws IOException {
            try (lock) {
                file.close();
            }
        }

        @Override
        public String toString() {
            return path.toString();
        }
    }
}
