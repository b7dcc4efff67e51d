package io.flockgate.storage.memory.file;

import io.flockgate.file.Directories;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Set;

/**
 * A regular file under an exclusive {@code flock(2)}. Reads and writes use a second descriptor,
 * opened from the locked one, so that they reach the locked file even if it has been renamed. They
 * do not use a channel, because an interrupt of the thread would close it.
 */
public final class LockedFile implements StateDisk {
    private final FlockDescriptor lock;
    private final RandomAccessFile file;
    private final Path path;
    private final Path directory;
    private final Inode inode;

    private LockedFile(FlockDescriptor lock, RandomAccessFile file, Path path, Path directory, Inode inode) {
        this.lock = lock;
        this.file = file;
        this.path = path;
        this.directory = directory;
        this.inode = inode;
    }

    /** Opens, or creates with mode 0600, and locks; the directory must exist. */
    public static LockedFile open(Path path) throws IOException {
        create(path);
        if (!Files.isRegularFile(path)) {
            throw new IOException(path + " is not a regular file");
        }
        Path directory = path.toRealPath().resolveSibling("");
        FlockDescriptor lock = FlockDescriptor.open(path);
        try {
            Inode inode = Inode.of(lock.reopenPath());
            return new LockedFile(lock, new RandomAccessFile(lock.reopenPath().toFile(), "rw"), path, directory, inode);
        } catch (IOException | RuntimeException e) {
            try (lock) {
                throw e;
            }
        }
    }

    /**
     * Checks that the path still leads to the locked file.
     *
     * @throws IOException if not: another process may lock the file that it leads to
     */
    void check() throws IOException {
        inode.check(path);
    }

    private static void create(Path path) throws IOException {
        var options = Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        var ownerOnly = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        try {
            FileChannel.open(path, options, ownerOnly).close();
        } catch (NoSuchFileException e) {
            throw new IOException("the directory of " + path + " does not exist", e);
        } catch (AccessDeniedException e) {
            throw new IOException("no permission to create, read and write " + path, e);
        } catch (UnsupportedOperationException e) {
            throw new IOException(path + " must be on a POSIX file system", e);
        }
    }

    @Override
    public byte[] read(int limit) throws IOException {
        byte[] bytes = new byte[limit];
        int length = 0;
        file.seek(0);
        for (int n = 0; n >= 0 && length < limit; n = file.read(bytes, length, limit - length)) {
            length += n;
        }
        return Arrays.copyOf(bytes, length);
    }

    @Override
    public void write(long offset, byte[] bytes) throws IOException {
        file.seek(offset);
        file.write(bytes);
    }

    @Override
    public void sync() throws IOException {
        file.getFD().sync();
    }

    @Override
    public void syncDirectory() throws IOException {
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
