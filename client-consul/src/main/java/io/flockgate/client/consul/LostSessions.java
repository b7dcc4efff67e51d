package io.flockgate.client.consul;

import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.concurrent.Backoff;
import io.flockgate.client.concurrent.Pauses;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.ResponseJson;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Ends sessions whose creation had no answer. Their ids are unknown, but each has a unique name.
 *
 * <ol>
 *   <li>Such a creation may still be carried out, so Consul's sessions are read repeatedly: first
 *       after a second, then after twice as long each time, up to eight seconds.
 *   <li>A session with such a name is ended.
 *   <li>A name is forgotten after six answers without it, or when its session has ended by its TTL.
 * </ol>
 *
 * One thread searches while there are names. Thread safe.
 */
final class LostSessions {
    /** Maximum number of names; further sessions end only with their TTL. */
    private static final int MAX_NAMES = 1000;

    private static final int MAX_LOOKS = 6;
    private static final Backoff BACKOFF = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(8));
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final ConsulApi api;
    private final LeaseEnvironment environment;
    private final Executor executor;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** Guarded by this object. */
    private final Map<String, Lost> names = new HashMap<>();

    private boolean searching;
    private int round;

    /**
     * A session that may exist.
     *
     * @param end the ticker's time at which it has ended by itself
     * @param looks the number of answers without it
     */
    private record Lost(long end, int looks) {}

    LostSessions(ConsulApi api, LeaseEnvironment environment, Executor executor) {
        this.api = api;
        this.environment = environment;
        this.executor = executor;
    }

    /** Looks for the session of this name from now on. */
    synchronized void add(String name, Duration ttl) {
        if (names.size() >= MAX_NAMES || closed.isDone()) {
            return;
        }
        // Consul ends a session after one to two times its TTL.
        names.put(name, new Lost(environment.ticker().nanos() + 2 * ttl.toNanos() + PATIENCE.toNanos(), 0));
        round = 0;
        if (!searching) {
            searching = begins();
        }
    }

    private boolean begins() {
        try {
            executor.execute(this::search);
            return true;
        } catch (RejectedExecutionException closing) {
            return false;
        }
    }

    private void search() {
        do {
            Pauses.sleep(nextPause(), closed);
            if (!closed.isDone()) {
                look();
            }
        } while (!isOver());
    }

    private synchronized Duration nextPause() {
        return BACKOFF.after(++round);
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
        return names.containsKey(name);
    }

    private synchronized void forget(String name) {
        names.remove(name);
    }

    private synchronized void countLook() {
        names.replaceAll((name, lost) -> new Lost(lost.end(), lost.looks() + 1));
    }

    private synchronized boolean isOver() {
        long now = environment.ticker().nanos();
        names.values().removeIf(lost -> lost.looks() >= MAX_LOOKS || lost.end() - now <= 0);
        searching = !names.isEmpty() && !closed.isDone();
        return !searching;
    }

    /** Ends the search. The TTL ends the remaining sessions. */
    void close() {
        closed.complete(null);
    }
}
