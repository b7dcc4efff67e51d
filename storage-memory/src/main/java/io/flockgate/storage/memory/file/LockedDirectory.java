package io.flockgate.storage.memory.file;

import io.flockgate.file.Directories;
import io.flockgate.text.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A directory of the file system, guarded by a lock on a file in it. The lock is a separate file,
 * because a rename replaces the others. Threads that use this class must not be interrupted,
 * because an interrupt closes the file being written.
 */
public final class LockedDirectory implements DataDirectory {
    private final Path directory;
    private final String lockName;
    private final Flock lock;
    private final Object lockKey;

    private LockedDirectory(Path directory, String lockName) throws IOException {
        this.directory = directory;
        this.lockName = lockName;
        this.lock = Flock.open(directory.resolve(lockName));
        this.lockKey = key(lock.path());
    }

    /**
     * Opens the directory, or creates it with mode 0700, and locks it.
     *
     * @param name the name of the lock file, without its suffix
     */
    public static LockedDirectory open(Path directory, String name) throws IOException {
        try {
            Directories.create(directory.toAbsolutePath());
            return new LockedDirectory(directory, name + ".lock");
        } catch (FileAlreadyExistsException e) {
            throw new IOException("the data directory " + directory + " is not a directory", e);
        } catch (IOException | UnsupportedOperationException e) {
            throw new IOException("cannot use the data directory " + directory + ": " + Reason.of(e), e);
        }
    }

    @Override
    public Set<String> names() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
        }
    }

    @Override
    public Optional<Content> read(String name) throws IOException {
        Path path = directory.resolve(name);
        try {
            return Optional.of(new PathContent(path, Files.size(path)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    @Override
    public File create(String name) throws IOException {
        Files.deleteIfExists(directory.resolve(name));
        var ownerOnly = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        var options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        FileChannel channel = FileChannel.open(directory.resolve(name), options, ownerOnly);
        return new ChannelFile(channel, key(directory.resolve(name)));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Files.move(directory.resolve(from), directory.resolve(to), StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void delete(String name) throws IOException {
        Files.deleteIfExists(directory.resolve(name));
    }

    @Override
    public void checkLock() throws IOException {
        check(lockName, lockKey);
    }

    @Override
    public void check(String name, File file) throws IOException {
        checkLock();
        check(name, ((ChannelFile) file).key);
    }

    private void check(String name, Object key) throws IOException {
        Path path = directory.resolve(name);
        try {
            if (!key.equals(key(path))) {
                throw new IOException(path + " was replaced while in use");
            }
        } catch (NoSuchFileException e) {
            throw new IOException(path + " was removed while in use", e);
        }
    }

    /** Distinguishes a file from all others that exist at the same time, whatever its names are. */
    private static Object key(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }

    @Override
    public void sync() throws IOException {
        Directories.sync(directory);
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }

    @Override
    public String toString() {
        return directory.toString();
    }

    private record PathContent(Path path, long length) implements Content {
        @Override
        public InputStream open() throws IOException {
            return Files.newInputStream(path);
        }
    }

    private record ChannelFile(FileChannel channel, Object key) implements File {
        @Override
        public void write(byte[] content) throws IOException {
            ByteBuffer rest = ByteBuffer.wrap(content);
            while (rest.hasRemaining()) {
                if (channel.write(rest) <= 0) {
                    throw new IOException("nothing could be written");
                }
            }
        }

        @Override
        public void sync() throws IOException {
            channel.force(false);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
