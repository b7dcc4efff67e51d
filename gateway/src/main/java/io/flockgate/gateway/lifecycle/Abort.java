package io.flockgate.gateway.lifecycle;

import io.flockgate.gateway.log.Logging;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Ends the process when it cannot continue, and logs the reason in one line. A supervisor then
 * restarts it. Java's shutdown hooks do not run, because they could wait for the part that has
 * failed.
 */
public final class Abort {
    private static final Logger LOG = LoggerFactory.getLogger(Abort.class);

    /** The exit status; also that of {@code -XX:+ExitOnOutOfMemoryError}. */
    public static final int STATUS = 3;

    private static final int FLUSH_MILLIS = 1_000;

    private static final AtomicBoolean BEGUN = new AtomicBoolean();

    private Abort() {}

    /**
     * From now on, the process ends if an uncaught exception ends one of the gateway's threads.
     */
    public static void install() {
        Thread.setDefaultUncaughtExceptionHandler(Abort::uncaught);
    }

    /**
     * Ends the process, because a library has caught an {@link OutOfMemoryError}. Java itself ends
     * it when the heap is full ({@code -XX:+ExitOnOutOfMemoryError}).
     */
    public static void outOfMemory() {
        because("out of memory", null);
    }

    private static void uncaught(Thread thread, Throwable failure) {
        if (isFatal(thread.getName(), failure)) {
            because("the thread " + thread.getName() + " has failed", failure);
        } else {
            (isLate(thread.getName(), failure) ? LOG.atDebug() : LOG.atError())
                    .addKeyValue("thread", thread.getName())
                    .setCause(failure)
                    .log("a thread has failed");
        }
    }

    /** Whether the gateway depends on a thread that has failed. */
    static boolean isFatal(String thread, Throwable failure) {
        boolean ours = thread.startsWith("flockgate-") || thread.startsWith("consul-") || thread.startsWith("vert.x-");
        boolean writesLog = thread.startsWith("AsyncAppender-");
        return (ours || writesLog) && !isLate(thread, failure);
    }

    /** Whether a worker of Vert.x could not report its result, because Vert.x has been closed. */
    private static boolean isLate(String thread, Throwable failure) {
        return thread.startsWith("vert.x-worker-") && failure instanceof RejectedExecutionException;
    }

    /**
     * Ends the process. Returns if another thread is already doing so.
     *
     * @param reason for the operator
     */
    public static void because(String reason, @Nullable Throwable failure) {
        if (!BEGUN.compareAndSet(false, true)) {
            return;
        }
        try {
            LoggingEventBuilder line =
                    LOG.atError().addKeyValue("reason", reason).addKeyValue("status", STATUS);
            (failure == null ? line : line.setCause(failure)).log("cannot continue, ending the process");
            Logging.flush(FLUSH_MILLIS);
        } finally {
            Runtime.getRuntime().halt(STATUS);
        }
    }

    /**
     * Ends the process at once if a signal arrives while it is stopping. Java itself ignores such a
     * signal. The classes for signals belong to the module {@code jdk.unsupported}, and the
     * compiler warns of every use.
     */
    public static final class SecondSignal {
        private static final Map<String, Integer> NUMBERS = Map.of("HUP", 1, "INT", 2, "TERM", 15);
        private static final int FLUSH_MILLIS = 200;

        /** The base of the status that a shell reports for a process ended by a signal. */
        private static final int STATUS_OF_SIGNALS = 128;

        private SecondSignal() {}

        /**
         * From now on the next signal ends the process. A signal that was ignored at the start
         * stays ignored.
         */
        public static void endsAtOnce() {
            NUMBERS.forEach((name, number) -> {
                try {
                    handle(name, () -> end(name, number));
                } catch (ReflectiveOperationException e) {
                    // The platform has no such signal, or Java runs with -Xrs.
                    LOG.atDebug().addKeyValue("signal", name).setCause(e).log("a second signal does nothing");
                }
            });
        }

        private static void handle(String name, Runnable action) throws ReflectiveOperationException {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object ours = Proxy.newProxyInstance(
                    handler.getClassLoader(), new Class<?>[] {handler}, (proxy, method, args) -> {
                        action.run();
                        return null;
                    });
            Object unused = signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), ours);
        }

        private static void end(String name, int number) {
            try {
                LOG.atWarn().addKeyValue("signal", name).log("second signal, ending at once");
                Logging.flush(FLUSH_MILLIS);
            } finally {
                Runtime.getRuntime().halt(STATUS_OF_SIGNALS + number);
            }
        }
    }
}
