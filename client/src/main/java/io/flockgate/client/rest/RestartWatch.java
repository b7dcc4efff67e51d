package io.flockgate.client.rest;

import io.flockgate.client.LeaseAuthException;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.Subscription;
import io.flockgate.client.concurrent.Backoff;
import io.flockgate.client.rest.RestException.Kind;
import io.flockgate.client.rest.RestHttp.Answer;
import io.flockgate.client.rest.RestHttp.Request;
import io.flockgate.client.support.Incarnations;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Notices soon that a server has restarted without its grants: HTTP has no connection whose end
 * would show it.
 *
 * <ol>
 *   <li>While there are grants that may end with the server's process, a session is pinged every
 *       second.
 *   <li>If the session has ended, or the server cannot be reached, the next ping follows earlier,
 *       after a pause that grows. It begins a new session, whose {@linkplain Incarnations
 *       incarnation} shows whether the grants still exist.
 *   <li>A server that asks for a longer pause gets it.
 * </ol>
 *
 * Safe from any thread.
 */
final class RestartWatch {
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(100), INTERVAL);

    private final RestSettings settings;
    private final RestHttp http;
    private final Sessions sessions;
    private final Incarnations incarnations;
    private final Executor threads;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** Guarded by this, as the fields below. */
    private boolean running;

    private int failures;
    private Subscription timer = () -> {};

    /**
     * @param threads may wait for answers
     */
    RestartWatch(RestSettings settings, RestHttp http, Sessions sessions, Incarnations incarnations, Executor threads) {
        this.settings = settings;
        this.http = http;
        this.sessions = sessions;
        this.incarnations = incarnations;
        this.threads = threads;
    }

    /** Begins, unless it runs already or no grant needs it. */
    synchronized void watch() {
        if (!running) {
            running = true;
            pingAfter(INTERVAL);
        }
    }

    /** Ends instead when no grant needs it any more. */
    private synchronized void pingAfter(Duration pause) {
        running = !closed.isDone() && incarnations.isWatched();
        if (running) {
            timer = settings.environment().scheduler().after(pause, this::due);
        }
    }

    private void due() {
        try {
            threads.execute(this::ping);
        } catch (RejectedExecutionException closing) {
            close();
        }
    }

    private void ping() {
        Duration pause = INTERVAL;
        try {
            pingSession();
            reached();
        } catch (RestException failed) {
            pause = failed.pause().isZero() ? pauseAfterFailure() : failed.pause();
        } catch (LeaseAuthException | LeaseConfigException refused) {
            // The grants may last all the same.
        } finally {
            pingAfter(pause);
        }
    }

    private synchronized void reached() {
        failures = 0;
    }

    private synchronized Duration pauseAfterFailure() {
        failures++;
        return BACKOFF.after(failures, settings.environment().random());
    }

    private void pingSession() throws RestException {
        long deadline = nanos() + PATIENCE.toNanos();
        RestSession session = sessions.take(false, deadline, closed);
        try {
            Request ping = new Request("POST", session.own("/ping"), "", "");
            Answer answer = http.send(ping, deadline - nanos(), closed);
            if (answer.status() != 204) {
                throw Replies.failure(answer, "a ping");
            }
            sessions.giveBack(session);
        } catch (RestException failed) {
            if (failed.kind() == Kind.GIVEN_UP) {
                sessions.giveBack(session);
            } else {
                sessions.failed(session, failed);
            }
            throw failed;
        } catch (RuntimeException refused) {
            sessions.giveBack(session);
            throw refused;
        }
    }

    private long nanos() {
        return settings.environment().ticker().nanos();
    }

    synchronized void close() {
        boolean unused = closed.complete(null);
        timer.close();
    }
}
