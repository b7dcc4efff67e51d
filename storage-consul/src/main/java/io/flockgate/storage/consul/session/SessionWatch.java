package io.flockgate.storage.consul.session;

import io.flockgate.storage.RetryPauses;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.SessionRead;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.kv.ConsulException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Watches the gateway's own session by a blocking read, which costs Consul no write. It has its own
 * thread.
 *
 * <p>When an agent leaves its cluster, Consul ends all sessions that were made through it. The
 * leaving agent still reports that to the read. When an agent no longer exists, the read is cut
 * off, or its connection is refused.
 */
final class SessionWatch {
    private static final Duration WAIT = Duration.ofSeconds(15);
    private static final RetryPauses BACKOFF = new RetryPauses(100, 2_000);

    /**
     * The pauses after reads without the session, each of which costs a renewal of all sessions.
     */
    private static final RetryPauses EMPTY_BACKOFF = new RetryPauses(200, 5_000);

    /** The pause after an early answer without a change. */
    private static final long PAUSE_MILLIS = 200;

    private final Environment environment;
    private final ConsulApi api;
    private final Supplier<@Nullable Session> own;
    private final Runnable renewSoon;
    /**
     * The number of consecutive reads that did not show the session. For the watch's own thread.
     */
    private int empty;

    private volatile @Nullable Thread thread;
    private volatile boolean stopped;

    /**
     * @param renewSoon called when the session or the agent may no longer exist; only a renewal is
     *     conclusive, because the token may lack the right to read sessions
     */
    SessionWatch(Environment environment, ConsulApi api, Supplier<@Nullable Session> own, Runnable renewSoon) {
        this.environment = environment;
        this.api = api;
        this.own = own;
        this.renewSoon = renewSoon;
    }

    void start() {
        thread = environment.start("consul-session-watch", this::run);
    }

    void stop() {
        stopped = true;
        Thread begun = thread;
        if (begun != null) {
            begun.interrupt();
        }
    }

    private void run() {
        Session watched = null;
        long index = 0;
        int failures = 0;
        while (!stopped) {
            Session session = own.get();
            index = session == watched ? index : 0;
            empty = session == watched ? empty : 0;
            watched = session;
            if (session == null) {
                rest(PAUSE_MILLIS);
                continue;
            }
            try {
                index = read(session, index);
                failures = 0;
            } catch (ConsulException e) {
                index = 0;
                if (++failures == 1 && e.isOutage() && !stopped) {
                    renewSoon.run();
                }
                rest(BACKOFF.millisAfter(failures));
            }
        }
    }

    /** Reads the session, and returns the index for the next read. */
    private long read(Session session, long index) {
        long asked = environment.now();
        SessionRead read = api.watchSession(session.id(), index, WAIT);
        if (stopped) {
            return 0;
        }
        if (!read.exists()) {
            renewSoon.run();
            rest(EMPTY_BACKOFF.millisAfter(++empty));
            return 0;
        }
        empty = 0;
        session.node(read.node());
        boolean early = index != 0 && environment.now() - asked < WAIT.toNanos();
        if (early) {
            rest(PAUSE_MILLIS);
        }
        return read.index() < index ? 0 : read.index();
    }

    private void rest(long millis) {
        if (!stopped) {
            // Only stop() interrupts.
            boolean unused = environment.pause(TimeUnit.MILLISECONDS.toNanos(millis));
        }
    }
}
