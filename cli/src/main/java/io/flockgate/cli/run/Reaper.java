package io.flockgate.cli.run;

import java.lang.reflect.Method;
import java.util.Optional;
import java.util.Set;

/**
 * Waits for children that this process has not started, so that they do not stay as zombies: as the
 * first process of a container it becomes the parent of all that lose theirs. Java waits only for
 * those that it has started, and its call for others is internal: it needs {@code
 * --add-opens=java.base/java.lang=ALL-UNNAMED}, without which nothing happens.
 */
final class Reaper {
    private final Optional<Method> waiting = waiting();
    private final Set<Long> started;

    /**
     * @param started the processes that this one has started
     */
    Reaper(Set<Long> started) {
        this.started = started;
    }

    private static Optional<Method> waiting() {
        try {
            Method method = Class.forName("java.lang.ProcessHandleImpl")
                    .getDeclaredMethod("waitForProcessExit0", long.class, boolean.class);
            return method.trySetAccessible() ? Optional.of(method) : Optional.empty();
        } catch (ReflectiveOperationException e) {
            return Optional.empty();
        }
    }

    /** Waits for all that have ended. */
    void reap() {
        waiting.ifPresent(method -> ProcessHandle.current()
                .children()
                .map(ProcessHandle::pid)
                .filter(pid -> !started.contains(pid) && Processes.hasEnded(pid))
                .forEach(pid -> reap(method, pid)));
    }

    private static void reap(Method method, long pid) {
        try {
            Object unused = method.invoke(null, pid, true);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("another Java", e);
        }
    }
}
