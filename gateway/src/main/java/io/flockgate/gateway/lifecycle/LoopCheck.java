package io.flockgate.gateway.lifecycle;

import io.flockgate.gateway.eventloop.EventLoop;
import java.util.concurrent.RejectedExecutionException;

/** Finds out whether an event loop is blocked or dead, by a task that it must run. For the thread of the watchdog only. */
final class LoopCheck {
    /** A loop that is busy all the time runs its tasks far sooner. */
    static final int MAX_MISSED = 10;

    private final EventLoop loop;
    private volatile boolean ran = true;
    private int missed;

    /** What is known of the loop. */
    enum State {
        ALIVE,
        BLOCKED,
        DEAD
    }

    LoopCheck(EventLoop loop) {
        this.loop = loop;
    }

    /** @param counts whether the loop had time for its task since the call before */
    State check(boolean counts) {
        if (!ran) {
            missed += counts ? 1 : 0;
            return missed >= MAX_MISSED ? State.BLOCKED : State.ALIVE;
        }
        missed = 0;
        ran = false;
        try {
            loop.post(() -> ran = true);
            return State.ALIVE;
        } catch (RejectedExecutionException e) {
            return State.DEAD;
        }
    }

    Thread thread() {
        return loop.thread();
    }
}
