package io.flockgate.storage.memory.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.text.Reason;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.charset.Charset;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Set;

/**
 * A regular file under an exclusive {@code flock(2)}, until it is closed. The JDK's file locks are
 * POSIX record locks, which exclude neither a process that uses flock nor a second opener in this
 * process.
 */
public final class Flock implements Closeable {
    private static final boolean MAC = System.getProperty("os.name", "").startsWith("Mac");
    private static final int O_RDWR_CLOEXEC = 2 | (MAC ? 0x1000000 : 0x80000);
    private static final int LOCK_EX_NB = 2 | 4;

    @GuardedBy("this")
    private int descriptor;

    private Flock(int descriptor) {
        this.descriptor = descriptor;
    }

    /**
     * Opens, or creates with mode 0600, and locks a file in an existing directory.
     *
     * @throws FileSystemException at once if another process holds the lock
     */
    public static Flock open(Path path) throws IOException {
        var options = Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        var ownerOnly = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        FileChannel.open(path, options, ownerOnly).close();
        if (!Files.isRegularFile(path)) {
            throw new FileSystemException(path.toString(), null, "not a regular file");
        }
        Flock lock = new Flock(open(path.toString()));
        if (lock.isTaken()) {
            lock.close();
            throw new FileSystemException(
                    path.toString(), null, "in use by another process, or its file system has no flock(2)");
        }
        return lock;
    }

    /** The C function is variadic; without O_CREAT the call has only fixed arguments. */
    private static int open(String path) throws IOException {
        Charset names = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocateFrom(ValueLayout.JAVA_BYTE, (path + "\0").getBytes(names));
            return call("open", ValueLayout.ADDRESS, name, O_RDWR_CLOEXEC);
        }
    }

    /** Tries to take the lock. Also true for a file that could not be opened. */
    private synchronized boolean isTaken() throws IOException {
        return call("flock", ValueLayout.JAVA_INT, descriptor, LOCK_EX_NB) != 0;
    }

    /** Calls a function of the C library whose arguments after the first are integers. */
    @SuppressWarnings("restricted")
    private static int call(String function, MemoryLayout first, Object... arguments) throws IOException {
        MemoryLayout[] types = new MemoryLayout[arguments.length];
        Arrays.fill(types, ValueLayout.JAVA_INT);
        types[0] = first;
        try {
            Linker linker = Linker.nativeLinker();
            MemorySegment symbol = linker.defaultLookup().findOrThrow(function);
            return (int) linker.downcallHandle(symbol, FunctionDescriptor.of(ValueLayout.JAVA_INT, types))
                    .invokeWithArguments(arguments);
        } catch (Throwable e) {
            throw new IOException("locking a file needs flock(2), which this Java cannot call: " + Reason.of(e), e);
        }
    }

    /** A name by which this process can reopen the locked file, even if it was renamed. */
    public synchronized Path path() {
        return Path.of("/dev/fd/" + descriptor);
    }

    @Override
    public synchronized void close() throws IOException {
        if (descriptor >= 0) {
            int unused = call("close", ValueLayout.JAVA_INT, descriptor);
            descriptor = -1;
        }
    }
}
