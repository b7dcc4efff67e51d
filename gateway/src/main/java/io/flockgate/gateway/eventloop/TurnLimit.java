package io.flockgate.gateway.eventloop;

/** Limits how often something happens in one turn of an event loop. On that loop only. */
public final class TurnLimit {
    private final EventLoop loop;
    private final int max;
    private int taken;

    public TurnLimit(EventLoop loop, int max) {
        this.loop = loop;
        this.max = max;
    }

    /** Whether nothing more may happen in this turn. */
    public boolean isReached() {
        return taken >= max;
    }

    /** Counts one. */
    public void take() {
        if (taken++ == 0) {
            loop.post(this::turnEnded);
        }
    }

    private void turnEnded() {
        taken = 0;
    }
}
