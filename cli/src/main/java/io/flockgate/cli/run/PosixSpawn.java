package io.flockgate.cli.run;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.flockgate.cli.run.Processes.Reaper;
import io.flockgate.cli.run.Supervisor.StartedCommand;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.Charset;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Starts a command that inherits descriptors above 2, all of which Java's own start closes. It uses
 * the C library's {@code posix_spawnp}, and only for callers that pass such descriptors, because
 * linking the functions takes a while.
 *
 * <ol>
 *   <li>The launcher lists the descriptors that it has inherited. This process has more, such as
 *       jars and sockets, and cannot distinguish them itself.
 *   <li>The command starts with those in the list. All others up to the highest that is open, and
 *       some more for those that other threads are opening, are closed in it.
 *   <li>A thread waits for its end.
 * </ol>
 */
@SuppressWarnings("restricted") // the gateway is started with --enable-native-access
final class PosixSpawn {
    private static final int FIRST = 3;
    private static final int OPENED_MEANWHILE = 64;

    /** More than the opaque structs of any C library. */
    private static final int STRUCT_BYTES = 512;

    private static final short POSIX_SPAWN_SETSIGMASK = 8;
    private static final int ENOEXEC = 8;
    private static final int SIGNALLED = 0x7f;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final Charset CHARSET = Charset.forName(System.getProperty("sun.jnu.encoding"));

    private PosixSpawn() {}

    /**
     * Starts a command.
     *
     * @param environment changes to the environment of this process; null removes a variable
     * @param inherited the descriptors above 2 that it gets
     * @throws IOException if it cannot be started; the reason is in parentheses
     */
    static StartedCommand start(List<String> command, Map<String, @Nullable String> environment, Set<Integer> inherited)
            throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            change(arena, environment);
            int error = 0;
            MemorySegment pid = arena.allocate(JAVA_INT);
            for (List<String> words : List.of(command, byShell(command))) {
                error = spawn(arena, pid, words, inherited);
                if (error != ENOEXEC) {
                    break;
                }
            }
            if (error != 0) {
                throw new IOException("cannot start " + command.getFirst() + " (" + reason(error) + ")");
            }
            return started(pid.get(JAVA_INT, 0));
        }
    }

    private static StartedCommand started(int pid) {
        // Found before the wait, which ends the process's last trace.
        ProcessHandle process = ProcessHandle.of(pid).orElseThrow();
        CompletableFuture<Integer> status = new CompletableFuture<>();
        Thread unused = Thread.ofPlatform().daemon().name("flockgate-command").start(() -> status.complete(await(pid)));
        return new StartedCommand(process, status);
    }

    /**
     * A script without a first line that names its interpreter is run by the shell, as by execvp.
     */
    private static List<String> byShell(List<String> command) {
        List<String> words = new ArrayList<>(command);
        words.addFirst("/bin/sh");
        return words;
    }

    private static void change(Arena arena, Map<String, @Nullable String> environment) {
        MethodHandle set = function("setenv", JAVA_INT, ADDRESS, ADDRESS, JAVA_INT);
        MethodHandle unset = function("unsetenv", JAVA_INT, ADDRESS);
        environment.forEach((name, value) -> {
            if (value == null) {
                int unused = call(unset, text(arena, name));
            } else {
                int unused = call(set, text(arena, name), text(arena, value), 1);
            }
        });
    }

    private static int spawn(Arena arena, MemorySegment pid, List<String> words, Set<Integer> inherited)
            throws IOException {
        MemorySegment actions = arena.allocate(STRUCT_BYTES, Long.BYTES);
        int unused = call(function("posix_spawn_file_actions_init", JAVA_INT, ADDRESS), actions);
        MethodHandle close = function("posix_spawn_file_actions_addclose", JAVA_INT, ADDRESS, JAVA_INT);
        int last = highestOpen() + OPENED_MEANWHILE;
        for (int each = FIRST; each <= last; each++) {
            if (!inherited.contains(each)) {
                int unusedToo = call(close, actions, each);
            }
        }
        MemorySegment attributes = attributes(arena);
        MemorySegment arguments = arena.allocate(ADDRESS, words.size() + 1L);
        for (int i = 0; i < words.size(); i++) {
            arguments.setAtIndex(ADDRESS, i, text(arena, words.get(i)));
        }
        MemorySegment environ = LINKER.defaultLookup()
                .findOrThrow("environ")
                .reinterpret(ADDRESS.byteSize())
                .get(ADDRESS, 0);
        return call(
                function("posix_spawnp", JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS),
                pid,
                text(arena, words.getFirst()),
                actions,
                attributes,
                arguments,
                environ);
    }

    /** With an empty signal mask, because threads of Java block some signals. */
    private static MemorySegment attributes(Arena arena) {
        MemorySegment attributes = arena.allocate(STRUCT_BYTES, Long.BYTES);
        MemorySegment none = arena.allocate(STRUCT_BYTES, Long.BYTES);
        int unused = call(function("posix_spawnattr_init", JAVA_INT, ADDRESS), attributes)
                + call(function("sigemptyset", JAVA_INT, ADDRESS), none)
                + call(function("posix_spawnattr_setsigmask", JAVA_INT, ADDRESS, ADDRESS), attributes, none)
                + call(
                        function("posix_spawnattr_setflags", JAVA_INT, ADDRESS, JAVA_SHORT),
                        attributes,
                        POSIX_SPAWN_SETSIGMASK);
        return attributes;
    }

    private static int highestOpen() throws IOException {
        int highest = FIRST;
        try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path each : open) {
                highest = Math.max(highest, Integer.parseInt(each.getFileName().toString()));
            }
        }
        return highest;
    }

    private static String reason(int error) {
        try {
            MemorySegment text =
                    (MemorySegment) function("strerror", ADDRESS, JAVA_INT).invoke(error);
            return text.reinterpret(STRUCT_BYTES).getString(0, CHARSET);
        } catch (Throwable e) {
            throw new AssertionError("strerror throws nothing", e);
        }
    }

    private static int await(int pid) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment status = arena.allocate(JAVA_INT);
            while (call(Reaper.Native.WAITPID, pid, status, 0) != pid) {
                // A signal has interrupted the wait.
            }
            int ended = status.get(JAVA_INT, 0);
            int signal = ended & SIGNALLED;
            return signal == 0 ? ended >> Byte.SIZE & 0xff : Statuses.SIGNALLED + signal;
        }
    }

    private static MemorySegment text(Arena arena, String text) {
        byte[] bytes = text.getBytes(CHARSET);
        MemorySegment terminated = arena.allocate(bytes.length + 1L);
        MemorySegment.copy(bytes, 0, terminated, JAVA_BYTE, 0, bytes.length);
        return terminated;
    }

    private static MethodHandle function(String name, MemoryLayout result, MemoryLayout... arguments) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name), FunctionDescriptor.of(result, arguments));
    }

    private static int call(MethodHandle function, Object... arguments) {
        try {
            return (int) function.invokeWithArguments(arguments);
        } catch (Throwable e) {
            throw new AssertionError("functions of the C library throw nothing", e);
        }
    }
}
