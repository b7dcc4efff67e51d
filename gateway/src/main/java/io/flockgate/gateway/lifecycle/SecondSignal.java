package io.flockgate.gateway.lifecycle;

import io.flockgate.gateway.log.Logging;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the process at once if a signal arrives while it is stopping. Java itself ignores such a
 * signal. The classes for signals belong to the module {@code jdk.unsupported}, and the compiler
 * warns of every use.
 */
public final class SecondSignal {
    private static final Map<String, Integer> NUMBERS = Map.of("HUP", 1, "INT", 2, "TERM", 15);
    private static final int FLUSH_MILLIS = 200;

    /** The base of the status that a shell reports for a process ended by a signal. */
    private static final int STATUS_OF_SIGNALS = 128;

    private SecondSignal() {}

    /**
     * From now on the next signal ends the process. A signal that was ignored at the start stays
     * ignored.
     */
    public static void endsAtOnce() {
        NUMBERS.forEach((name, number) -> {
            try {
                handle(name, () -> end(name, number));
            } catch (ReflectiveOperationException e) {
                // The platform has no such signal, or Java runs with -Xrs.
                log().atDebug().addKeyValue("signal", name).setCause(e).log("a second signal does nothing");
            }
        });
    }

    private static void handle(String name, Runnable action) throws ReflectiveOperationException {
        Class<?> signal = Class.forName("sun.misc.Signal");
        Class<?> handler = Class.forName("sun.misc.SignalHandler");
        Object ours =
                Proxy.newProxyInstance(handler.getClassLoader(), new Class<?>[] {handler}, (proxy, method, args) -> {
                    action.run();
                    return null;
                });
        Object unused = signal.getMethod("handle", signal, handler)
                .invoke(null, signal.getConstructor(String.class).newInstance(name), ours);
    }

    private static void end(String name, int number) {
        try {
            log().atWarn().addKeyValue("signal", name).log("second signal, ending at once");
            Logging.flush(FLUSH_MILLIS);
        } finally {
            Runtime.getRuntime().halt(STATUS_OF_SIGNALS + number);
        }
    }

    private static Logger log() {
        return LoggerFactory.getLogger(SecondSignal.class);
    }
}
