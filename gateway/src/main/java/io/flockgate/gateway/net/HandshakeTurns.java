package io.flockgate.gateway.net;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.gateway.limits.Gate.Caps;
import java.util.LinkedHashSet;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/**
 * Lets a few handshakes at a time reach the threads that compute for them. The others wait here, in
 * order, where a client that disconnects leaves nothing behind: Netty computes even for a handshake
 * whose connection has ended. Thread safe.
 */
public final class HandshakeTurns {
    /** The threads that compute. Half of the processors are left to the event loops. */
    public static final int THREADS = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

    private static final long SHARE_OF_HEAP = 8;

    /** Maximum heap that a handshake takes, as measured: docs/design/limits.md. */
    private static final long ENGINE_BYTES = 100_000;

    private static final long MIN_HANDSHAKES = 128;
    private static final long MAX_HANDSHAKES = 512;

    private final int max;

    @GuardedBy("this")
    private final SequencedSet<Runnable> waiting = new LinkedHashSet<>();

    @GuardedBy("this")
    private int running;

    /** As many turns at a time as threads, and one more. */
    public HandshakeTurns() {
        this(THREADS + 1);
    }

    HandshakeTurns(int max) {
        this.max = max;
    }

    /** The caps on handshakes that fit a heap of this size. */
    public static Caps caps(long heapBytes) {
        long handshakes = Math.clamp(heapBytes / SHARE_OF_HEAP / ENGINE_BYTES, MIN_HANDSHAKES, MAX_HANDSHAKES);
        return new Caps(handshakes, handshakes / 2);
    }

    /**
     * Begins a turn now, or when another one ends, on its thread.
     *
     * @param ahead whether it comes before those that wait
     */
    void await(Runnable turn, boolean ahead) {
        synchronized (this) {
            if (running == max) {
                if (ahead) {
                    waiting.addFirst(turn);
                } else {
                    waiting.addLast(turn);
                }
                return;
            }
            running++;
        }
        turn.run();
    }

    /** Removes a turn that waits; does nothing if it has begun. */
    synchronized void forget(Runnable turn) {
        boolean unused = waiting.remove(turn);
    }

    /** Ends a turn that has begun. */
    void end() {
        Runnable next = next();
        if (next != null) {
            next.run();
        }
    }

    private synchronized @Nullable Runnable next() {
        if (waiting.isEmpty()) {
            running--;
            return null;
        }
        return waiting.removeFirst();
    }
}
