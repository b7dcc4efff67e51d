package io.flockgate.gateway.net;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.LinkedHashSet;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/**
 * Lets a few handshakes at a time reach the threads that compute for them. The others wait here, in
 * order, where a client that disconnects leaves nothing behind: Netty computes even for a handshake
 * whose connection has ended. Thread safe.
 */
public final class HandshakeTurns {
    private final int max;

    @GuardedBy("this")
    private final SequencedSet<Runnable> waiting = new LinkedHashSet<>();

    @GuardedBy("this")
    private int running;

    public HandshakeTurns(int max) {
        this.max = max;
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
