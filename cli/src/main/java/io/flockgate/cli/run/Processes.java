package io.flockgate.cli.run;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The processes of a command: the command, its descendants, and all that have the grant's token in
 * their environment, orphans included. Without {@code /proc} only the descendants are found.
 */
final class Processes {
    private final ProcessHandle command;
    private final String variable;

    Processes(ProcessHandle command, String token) {
        this.command = command;
        this.variable = "FLOCKGATE_LEASE_TOKEN=" + token;
    }

    /**
     * The command and its descendants, parents first: if children came first, parents could start
     * new ones.
     */
    Set<ProcessHandle> tree() {
        return Stream.concat(Stream.of(command), command.descendants())
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** The running processes with the token: a process that has ended has no environment. */
    Set<ProcessHandle> marked() {
        return ProcessHandle.allProcesses().filter(this::hasToken).collect(Collectors.toSet());
    }

    private boolean hasToken(ProcessHandle process) {
        try {
            byte[] environment = Files.readAllBytes(Path.of("/proc/" + process.pid() + "/environ"));
            return new String(environment, ISO_8859_1).contains(variable);
        } catch (IOException e) {
            // It has ended, or it belongs to another user.
            return false;
        }
    }

    /** Sends TERM to all, each once. */
    Set<ProcessHandle> terminate() {
        Set<ProcessHandle> all = tree();
        all.forEach(ProcessHandle::destroy);
        for (ProcessHandle each : marked()) {
            if (all.add(each)) {
                each.destroy();
            }
        }
        return all;
    }

    /** Sends KILL to these at once, and then to all that a search finds, which takes longer. */
    void kill(Collection<ProcessHandle> known) {
        known.forEach(ProcessHandle::destroyForcibly);
        tree().forEach(ProcessHandle::destroyForcibly);
        marked().forEach(ProcessHandle::destroyForcibly);
    }

    /** Whether one of these still runs, or one that a search finds once these have ended. */
    boolean anyRuns(Collection<ProcessHandle> known) {
        return known.stream().anyMatch(Processes::runs) || !running(known).isEmpty();
    }

    /**
     * Those of these and of all that exist now that still run, like {@code 4711 (sudo)}. One that
     * has ended, and whose parent has not noticed it, does not run.
     */
    List<String> running(Collection<ProcessHandle> known) {
        return Stream.of(tree(), known, marked())
                .flatMap(Collection::stream)
                .flatMap(each -> running(each).stream())
                .distinct()
                .toList();
    }

    private static boolean runs(ProcessHandle process) {
        return process.isAlive() && !hasEnded(process.pid());
    }

    private static Optional<String> running(ProcessHandle process) {
        if (!runs(process)) {
            return Optional.empty();
        }
        String stat = stat(process.pid());
        return Optional.of(
                stat.isEmpty() ? String.valueOf(process.pid()) : stat.substring(0, stat.lastIndexOf(')') + 1));
    }

    /** Whether a process has ended, though its parent has not noticed it. */
    static boolean hasEnded(long pid) {
        String stat = stat(pid);
        return !stat.isEmpty() && "ZX".indexOf(stat.charAt(stat.lastIndexOf(')') + 2)) >= 0;
    }

    /** For example {@code 4711 (sudo) S 1 …}; empty if it is not known. */
    private static String stat(long pid) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/stat"), ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    /**
     * Waits for children that this process has not started, so that they do not stay as zombies: as
     * the first process of a container it becomes the parent of all that lose theirs. Java waits
     * only for those that it has started.
     */
    static final class Reaper {
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
}
