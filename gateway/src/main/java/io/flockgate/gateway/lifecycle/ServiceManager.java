package io.flockgate.gateway.lifecycle;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Reports the gateway's state to the service manager, systemd. While the watchdog finds all event
 * loops alive, sends two signs of life in each interval in which systemd requires one. Thread safe,
 * except {@link #beat}, which belongs to the watchdog's thread.
 */
public final class ServiceManager {
    /** For a gateway that was not started by a service manager. */
    public static final ServiceManager NONE = new ServiceManager(message -> {}, 0);

    private static final String READY = "READY=1";
    private static final String STOPPING = "STOPPING=1";
    private static final String ALIVE = "WATCHDOG=1";

    private final Consumer<String> socket;

    /** The time between two signs of life; 0 if none is required. */
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
     * @param socket accepts messages
     * @param pid the id of this process
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
     * Reports that all listeners are open, unless the gateway is already stopping, because a signal
     * may arrive during the start.
     */
    public synchronized void ready() {
        if (!stopping) {
            socket.accept(READY);
        }
    }

    /** Reports that the gateway drains and will then end. */
    public synchronized void stopping() {
        stopping = true;
        socket.accept(STOPPING);
    }

    /** Called when the watchdog has found that the gateway can continue. */
    void beat(long now) {
        if (beatNanos != 0 && (lastBeat == 0 || now - lastBeat >= beatNanos - Watchdog.TICK_NANOS)) {
            lastBeat = now;
            socket.accept(ALIVE);
        }
    }
}
