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
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A directory of the file system, guarded by a lock on a file in it. The lock is a separate file,
 * because a rename replaces a journal. Threads that use this class must not be interrupted, because
 * an interrupt closes the file being written.
 */
public final class LockedDirectory implements DataDirectory {
    private final Path directory;
    private final LockedFile lock;

    private LockedDirectory(Path directory, LockedFile lock) {
        this.directory = directory;
        this.lock = lock;
    }

    /**
     * Opens the directory, or creates it with mode 0700, and locks the files of one journal in it.
     *
     * @param journal the prefix of the names of its files
     */
    public static LockedDirectory open(Path directory, String journal) throws IOException {
        try {
            Directories.create(directory.toAbsolutePath());
            return new LockedDirectory(directory, LockedFile.open(directory.resolve(journal + ".lock")));
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
        return new ChannelFile(channel, Inode.of(directory.resolve(name)));
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
        lock.check();
    }

    @Override
    public void check(String name, File file) throws IOException {
        lock.check();
        ((ChannelFile) file).inode.check(directory.resolve(name));
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

    private record ChannelFile(FileChannel channel, Inode inode) implements File {
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
        public void truncate(long length) throws IOException {
            FileChannel unused = channel.truncate(length);
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
