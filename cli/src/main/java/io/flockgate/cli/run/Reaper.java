package io.flockgate.cli.run;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Set;

/**
 * Waits for children that this process has not started, so that they do not stay as zombies: as the
 * first process of a container it becomes the parent of all that lose theirs. Java waits only for
 * those that it has started.
 */
final class Reaper {
    private static final int WNOHANG = 1;

    /** Linked at its first use only, because that takes a while. */
    @SuppressWarnings("restricted") // the gateway is started with --enable-native-access
    static final class Native {
        static final MethodHandle WAITPID = Linker.nativeLinker()
                .downcallHandle(
                        Linker.nativeLinker().defaultLookup().findOrThrow("waitpid"),
                        FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
    }

    private final Set<Long> started;

    /**
     * @param started the processes that this one has started
     */
    Reaper(Set<Long> started) {
        this.started = started;
    }

    /** Waits for all that have ended. */
    void reap() {
        ProcessHandle.current()
                .children()
                .map(ProcessHandle::pid)
                .filter(pid -> !started.contains(pid) && Processes.hasEnded(pid))
                .forEach(Reaper::await);
    }

    private static void await(long pid) {
        try {
            int unused = (int) Native.WAITPID.invokeExact(Math.toIntExact(pid), MemorySegment.NULL, WNOHANG);
        } catch (Throwable e) {
            throw new AssertionError("waitpid throws nothing", e);
        }
    }
}
