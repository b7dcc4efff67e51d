package io.flockgate.client.rest;

import io.flockgate.client.support.ServerSettings;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Ends sessions that are no longer used, one after the other in the background. If a server does
 * not answer, its pending sessions are dropped, and sessions beyond a maximum are not added: the
 * servers end silent sessions themselves. Safe from any thread.
 */
final class Endings {
    private static final int MOST = 1_000;
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final ServerSettings<RestAddress> settings;
    private final Executor threads;
    private final Ending ending;

    /** Guarded by this, like the field below. */
    private final Queue<RestSession> pending = new ArrayDeque<>();

    private boolean running;

    /** Ends one session. */
    @FunctionalInterface
    interface Ending {
        /** Returns false unless the server has confirmed it. */
        boolean end(RestSession session, long deadline);
    }

    Endings(ServerSettings<RestAddress> settings, Executor threads, Ending ending) {
        this.threads = threads;
        this.settings = settings;
        this.ending = ending;
    }

    /** Ends a session soon, if it has no grants. */
    void add(RestSession session) {
        if (!session.tokens().isEmpty() || !begins(session)) {
            return;
        }
        try {
            threads.execute(this::run);
        } catch (RejectedExecutionException refused) {
            stop();
        }
    }

    /** Enqueues the session; true if no task is ending sessions yet. */
    private synchronized boolean begins(RestSession session) {
        boolean begins = !running;
        if (pending.size() < MOST) {
            pending.add(session);
            running = true;
            return begins;
        }
        return false;
    }

    private void run() {
        boolean finished = false;
        try {
            for (RestSession session = next(); session != null; session = next()) {
                long deadline = settings.nanos() + PATIENCE.toNanos();
                if (!ending.end(session, deadline)) {
                    forget(session.server());
                }
            }
            finished = true;
        } finally {
            if (!finished) {
                stop();
            }
        }
    }

    private synchronized @Nullable RestSession next() {
        RestSession next = pending.poll();
        running = next != null;
        return next;
    }

    private synchronized void forget(RestAddress server) {
        pending.removeIf(session -> session.server().equals(server));
    }

    private synchronized void stop() {
        pending.clear();
        running = false;
    }
}
