package io.flockgate.storage.consul.session;

import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.kv.ConsulException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * Runs an action for many sessions, a few at a time, because one after the other would take longer
 * than their TTL. After a failure, the other sessions still have their turn.
 */
final class SessionBatch<T> {
    private final Queue<T> waiting;
    private final int together;
    private final Consumer<T> action;
    private final Queue<ConsulException> failures = new ConcurrentLinkedQueue<>();

    private SessionBatch(Collection<T> sessions, int together, Consumer<T> action) {
        this.waiting = new ConcurrentLinkedQueue<>(sessions);
        this.together = together;
        this.action = action;
    }

    /**
     * Blocks until every session has had its turn.
     *
     * @param together the number of concurrent actions
     * @throws ConsulException the failure of one session, if any failed
     */
    static <T> void of(Environment environment, Collection<T> sessions, int together, Consumer<T> action) {
        new SessionBatch<>(sessions, together, action).run(environment);
    }

    private void run(Environment environment) {
        List<Thread> threads = new ArrayList<>();
        int count = Math.min(together, waiting.size());
        for (int i = 0; i < count; i++) {
            threads.add(environment.start("consul-renew", this::each));
        }
        threads.forEach(SessionBatch::join);
        ConsulException failure = failures.peek();
        if (failure != null) {
            throw failure;
        }
    }

    private void each() {
        for (T session = waiting.poll(); session != null; session = waiting.poll()) {
            try {
                action.accept(session);
            } catch (ConsulException e) {
                failures.add(e);
            }
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
