package io.flockgate.client.consul;

import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.concurrent.Backoff;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.ResponseJson;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * Ends sessions whose creation had no answer. Their ids are unknown, but each has a unique name.
 *
 * <ol>
 *   <li>Such a creation may still be carried out, so Consul's sessions are read repeatedly: first
 *       after a second, then after twice as long each time, up to eight seconds.
 *   <li>A session with such a name is ended.
 *   <li>A name is forgotten after six answers without it, or when its session has ended by its TTL.
 * </ol>
 */
final class LostSessions extends Leftovers<LostSessions.Lost> {
    private static final int MAX_LOOKS = 6;
    private static final Backoff BACKOFF = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(8));
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /**
     * A session that may exist.
     *
     * @param end the ticker's time at which it has ended by itself
     * @param looks the number of answers without it
     */
    record Lost(long end, int looks) {}

    LostSessions(ConsulApi api, LeaseEnvironment environment, Executor executor) {
        super(api, environment, executor, BACKOFF);
    }

    /** Looks for the session of this name from now on. */
    void add(String name, Duration ttl) {
        // Consul ends a session after one to two times its TTL.
        put(name, new Lost(environment.ticker().nanos() + 2 * ttl.toNanos() + PATIENCE.toNanos(), 0));
    }

    @Override
    void work() {
        do {
            if (pause()) {
                look();
            }
        } while (!isOver());
    }

    private void look() {
        long deadline = environment.ticker().nanos() + PATIENCE.toNanos();
        try {
            for (ResponseJson.Session session : api.sessions(deadline)) {
                if (isLost(session.name())) {
                    api.destroySession(session.id(), deadline);
                    forget(session.name());
                }
            }
            countLook();
        } catch (ConsulException unanswered) {
            // The next round tries again.
        }
    }

    private synchronized boolean isLost(String name) {
        return left.containsKey(name);
    }

    private synchronized void countLook() {
        left.replaceAll((name, lost) -> new Lost(lost.end(), lost.looks() + 1));
    }

    @Override
    boolean hasEnded(Lost lost, long now) {
        return lost.looks() >= MAX_LOOKS || lost.end() - now <= 0;
    }
}
