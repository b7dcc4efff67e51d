package io.flockgate.storage.memory.journal;

import io.flockgate.file.Directories;
import io.flockgate.storage.memory.file.Flock;
import io.flockgate.text.Reason;
import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Keeps the fence ceiling of a journal in dflockd's file format, and nothing else of it. The file
 * has two slots of one checksummed record each, written in turn, so that a torn write leaves the
 * previous record intact. It is locked before the first read and until it is closed. For one thread
 * at a time.
 */
final class FenceStateFile implements Journal.Output {
    /**
     * One record of dflockd's fence state files: a durable ceiling and its number in the order of
     * writing. All numbers are big-endian.
     *
     * <pre>
     * magic (8)  sequence (8)  ceiling (8)  CRC-64 of what is before it (8)
     * </pre>
     *
     * @param sequence unsigned, at least 1; 0 stands for a ceiling that is not in a record yet (an
     *     empty or a legacy file)
     * @param ceiling unsigned; no fence above it has been issued
     */
    record FenceRecord(long sequence, long ceiling) {
        static final int SIZE = 32;

        /** The maximum length of a valid file: two slots. */
        static final int MAX_FILE = 2 * SIZE;

        private static final int LEGACY_SIZE = Long.BYTES;
        private static final int CHECKED = SIZE - Long.BYTES;

        /** ASCII {@code dflfnc1} and a line feed. */
        private static final long MAGIC = 0x64666c666e63310aL;

        /** The ISO polynomial, reflected. */
        private static final long POLYNOMIAL = 0xD800000000000000L;

        /** The 32 bytes of this record. */
        byte[] encode() {
            byte[] bytes = new byte[SIZE];
            ByteBuffer.wrap(bytes)
                    .putLong(MAGIC)
                    .putLong(sequence)
                    .putLong(ceiling)
                    .putLong(crc64(bytes, 0, CHECKED));
            return bytes;
        }

        /** The offset of this record in the file: odd sequences at 0, even ones at 32. */
        int offset() {
            return (sequence & 1) == 1 ? 0 : SIZE;
        }

        /**
         * The record in the 32 bytes at {@code from}; empty when there are fewer bytes, or they are
         * not a valid record.
         */
        static Optional<FenceRecord> decode(byte[] bytes, int from) {
            if (bytes.length - from < SIZE) {
                return Optional.empty();
            }
            ByteBuffer in = ByteBuffer.wrap(bytes, from, SIZE);
            boolean magic = in.getLong() == MAGIC;
            FenceRecord found = new FenceRecord(in.getLong(), in.getLong());
            boolean intact = in.getLong() == crc64(bytes, from, CHECKED);
            return magic && intact && found.sequence != 0 ? Optional.of(found) : Optional.empty();
        }

        /**
         * The newest record of a whole file. The length decides: empty file, legacy 8 bytes, or one
         * to two slots. Empty when the file has any other length, or no slot is valid.
         */
        static Optional<FenceRecord> newest(byte[] file) {
            if (file.length == 0) {
                return Optional.of(new FenceRecord(0, 0));
            }
            if (file.length == LEGACY_SIZE) {
                return Optional.of(new FenceRecord(0, ByteBuffer.wrap(file).getLong()));
            }
            if (file.length < SIZE || file.length > MAX_FILE) {
                return Optional.empty();
            }
            Optional<FenceRecord> first = decode(file, 0);
            Optional<FenceRecord> second = decode(file, SIZE);
            return first.isPresent() && second.isPresent()
                    ? first.map(a -> later(a, second.get()))
                    : first.or(() -> second);
        }

        private static FenceRecord later(FenceRecord a, FenceRecord b) {
            return Long.compareUnsigned(a.sequence, b.sequence) > 0 ? a : b;
        }

        /**
         * The CRC-64 of the bytes, which the JDK lacks, with an initial value and final XOR of all
         * ones. Computed bit by bit, because only one record is needed per half a million fences.
         */
        static long crc64(byte[] bytes, int from, int length) {
            long crc = -1L;
            for (int i = from; i < from + length; i++) {
                crc ^= bytes[i] & 0xFFL;
                for (int bit = 0; bit < 8; bit++) {
                    crc = (crc & 1) == 0 ? crc >>> 1 : crc >>> 1 ^ POLYNOMIAL;
                }
            }
            return ~crc;
        }
    }

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
    public void append(List<JournalRecord> records) throws IOException {
        rewrite(records);
    }

    @Override
    public void rewrite(List<JournalRecord> records) throws IOException {
        for (JournalRecord record : records) {
            if (record instanceof JournalRecord.Ceiling ceiling) {
                raise(ceiling.fence());
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
