package io.flockgate.storage.memory.file;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.Charset;
import java.nio.file.Path;

/**
 * An open file descriptor that holds an exclusive {@code flock(2)} until it is closed. The JDK's
 * file locks are POSIX record locks, which exclude neither a process that uses flock nor a second
 * opener in this process.
 */
final class FlockDescriptor implements Closeable {
    private static final int O_RDWR = 2;
    private static final int O_CLOEXEC_LINUX = 0x80000;
    private static final int O_CLOEXEC_MAC = 0x1000000;
    private static final int LOCK_EX_NB = 2 | 4;
    private static final int EINTR = 4;
    private static final int EAGAIN_LINUX = 11;
    private static final int EAGAIN_MAC = 35;

    private final Native libc;
    private final int fd;

    @GuardedBy("this")
    private boolean closed;

    private FlockDescriptor(Native libc, int fd) {
        this.libc = libc;
        this.fd = fd;
    }

    /** Opens and locks an existing file; fails at once when another descriptor holds the lock. */
    static FlockDescriptor open(Path path) throws IOException {
        String os = System.getProperty("os.name", "");
        boolean mac = os.startsWith("Mac");
        if (!mac && !os.startsWith("Linux")) {
            throw new IOException("locking a file needs flock(2), which " + os + " does not have");
        }
        Native libc = Native.load();
        int fd = libc.open(path, O_RDWR | (mac ? O_CLOEXEC_MAC : O_CLOEXEC_LINUX));
        if (fd < 0) {
            throw new IOException("cannot open " + path + " (errno " + -fd + ")");
        }
        int error = libc.flock(fd, LOCK_EX_NB);
        if (error == 0) {
            return new FlockDescriptor(libc, fd);
        }
        libc.close(fd);
        boolean taken = error == (mac ? EAGAIN_MAC : EAGAIN_LINUX);
        throw new IOException(
                taken ? path + " is in use by another process" : "cannot lock " + path + " (errno " + error + ")");
    }

    /** A name by which this process can reopen the same file that is locked. */
    Path reopenPath() {
        return Path.of("/dev/fd/" + fd);
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            libc.close(fd);
        }
    }

    /**
     * The three functions of the C library. On failure, open returns the negated errno, and flock
     * the errno itself.
     */
    private record Native(MethodHandle open, MethodHandle flock, MethodHandle close) {
        private static final StructLayout STATE = Linker.Option.captureStateLayout();
        private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));

        static Native load() throws IOException {
            try {
                var pointerAndInt =
                        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT);
                var twoInts = FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
                var oneInt = FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
                return new Native(link("open", pointerAndInt), link("flock", twoInts), link("close", oneInt));
            } catch (UnsupportedOperationException | IllegalCallerException | LinkageError e) {
                throw new IOException(
                        "locking a file needs flock(2), which this Java cannot call: " + e.getMessage(), e);
            }
        }

        @SuppressWarnings("restricted")
        private static MethodHandle link(String name, FunctionDescriptor type) {
            Linker linker = Linker.nativeLinker();
            MemorySegment symbol = linker.defaultLookup()
                    .find(name)
                    .orElseThrow(() -> new UnsupportedOperationException("no " + name));
            return linker.downcallHandle(symbol, type, Linker.Option.captureCallState("errno"));
        }

        int open(Path path, int flags) {
            // The C function is variadic; with these flags the call has only fixed arguments.
            Charset names = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
            byte[] name = (path + "\0").getBytes(names);
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment state = arena.allocate(STATE);
                MemorySegment text = arena.allocateFrom(ValueLayout.JAVA_BYTE, name);
                int fd;
                do {
                    fd = (int) open.invokeExact(state, text, flags);
                } while (fd < 0 && errno(state) == EINTR);
                return fd < 0 ? -errno(state) : fd;
            } catch (Throwable e) {
                throw new LinkageError("open(2)", e);
            }
        }

        int flock(int fd, int operation) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment state = arena.allocate(STATE);
                int result;
                do {
                    result = (int) flock.invokeExact(state, fd, operation);
                } while (result < 0 && errno(state) == EINTR);
                return result < 0 ? errno(state) : 0;
            } catch (Throwable e) {
                throw new LinkageError("flock(2)", e);
            }
        }

        /** Closes the descriptor, which is released even on failure; returns false in that case. */
        @CanIgnoreReturnValue
        boolean close(int fd) {
            try (Arena arena = Arena.ofConfined()) {
                return (int) close.invokeExact(arena.allocate(STATE), fd) == 0;
            } catch (Throwable e) {
                throw new LinkageError("close(2)", e);
            }
        }

        private static int errno(MemorySegment state) {
            return (int) ERRNO.get(state, 0L);
        }
    }
}
