package io.flockgate.gateway.lifecycle;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Reports to the service manager, systemd, what the gateway does. While the watchdog finds all
 * event loops alive, it sends a sign of life twice in the interval that systemd wants one. Thread
 * safe, but for {@link #beat}, which belongs to the watchdog's thread.
 */
public final class ServiceManager {
    /** The gateway was started by something else. */
    public static final ServiceManager NONE = new ServiceManager(message -> {}, 0);

    private static final String READY = "READY=1";
    private static final String STOPPING = "STOPPING=1";
    private static final String ALIVE = "WATCHDOG=1";

    private final Consumer<String> socket;

    /** The time between two signs of life; 0 if none is wanted. */
    private final long beatNanos;

    private long lastBeat;

    @GuardedBy("this")
    private boolean stopping;

    private ServiceManager(Consumer<String> socket, long beatNanos) {
        this.socket = socket;
        this.beatNanos = beatNanos;
    }

    /**
     * The manager that these variables describe.
     *
     * @param socket takes messages
     * @param pid the number of this process
     */
    public static ServiceManager of(Map<String, String> environment, long pid, Consumer<String> socket) {
        String watched = environment.getOrDefault("WATCHDOG_PID", "");
        boolean ours = watched.isEmpty() || watched.equals(Long.toString(pid));
        long micros = ours ? number(environment.getOrDefault("WATCHDOG_USEC", "")) : 0;
        return new ServiceManager(socket, TimeUnit.MICROSECONDS.toNanos(micros) / 2);
    }

    private static long number(String text) {
        return text.matches("[0-9]{1,15}") ? Long.parseLong(text) : 0;
    }

    /**
     * All listeners are there. Not reported any more once the gateway stops: a signal may come
     * during the start.
     */
    public synchronized void ready() {
        if (!stopping) {
            socket.accept(READY);
        }
    }

    /** The gateway drains, and ends then. */
    public synchronized void stopping() {
        stopping = true;
        socket.accept(STOPPING);
    }

    /** The watchdog has looked, and the gateway can go on. */
    void beat(long now) {
        if (beatNanos != 0 && (lastBeat == 0 || now - lastBeat >= beatNanos - LoopCheck.TICK_NANOS)) {
            lastBeat = now;
            socket.accept(ALIVE);
        }
    }
}
