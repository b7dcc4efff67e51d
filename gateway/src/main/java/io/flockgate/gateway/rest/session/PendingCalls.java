package io.flockgate.gateway.rest.session;

import io.flockgate.gateway.log.CapLog;
import io.flockgate.storage.Capacity;
import org.slf4j.LoggerFactory;

/** The number of calls of all sessions that wait for their turn, and its cap. Thread safe. */
final class PendingCalls {
    private final Capacity capacity;
    private final CapLog log;

    /**
     * @param max 0 for no cap
     */
    PendingCalls(long max) {
        this.capacity = new Capacity(max);
        this.log = new CapLog(
                LoggerFactory.getLogger(PendingCalls.class),
                "a cap is reached, refusing requests",
                "--http-max-pending-calls",
                max);
    }

    /** Counts one more. Returns false if the cap refuses it, which is reported in the log. */
    boolean take(long now) {
        boolean taken = capacity.take();
        if (!taken && log.refused(now)) {
            log.warn(line -> line.addKeyValue("pending", used()));
        }
        return taken;
    }

    void giveBack() {
        capacity.giveBack(1);
    }

    long used() {
        return capacity.used();
    }
}
