package io.flockgate.client.rest;

import io.flockgate.client.LeaseAuthException;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.Subscription;
import io.flockgate.client.concurrent.Backoff;
import io.flockgate.client.rest.RestException.Kind;
import io.flockgate.client.rest.RestHttp.Answer;
import io.flockgate.client.rest.RestHttp.Request;
import io.flockgate.client.support.Incarnations;
import io.flockgate.client.support.LossListeners;
import io.flockgate.client.support.ServerSettings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * Notices soon that a server has restarted without its grants, or has lost one of them: HTTP has no
 * connection over which the server could report it.
 *
 * <ol>
 *   <li>While there are listeners for the loss of a grant, a session is pinged every second. The
 *       answer names the grants of this client that the server has lost since the last ping.
 *   <li>If the session has ended, or the server cannot be reached, the next ping follows earlier,
 *       after a pause that grows. It begins a new session, whose {@linkplain Incarnations
 *       incarnation} shows whether the grants still exist.
 *   <li>A longer pause that a server requests is honoured.
 * </ol>
 *
 * Safe from any thread.
 */
final class LossWatch {
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(100), INTERVAL);

    private final ServerSettings<RestAddress> settings;
    private final RestHttp http;
    private final Sessions sessions;
    private final LossListeners losses;
    private final Consumer<String> lost;
    private final Executor threads;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** Guarded by this, like the fields below. */
    private boolean running;

    private int failures;
    private Subscription timer = () -> {};

    /**
     * @param lost receives the tokens of lost grants
     * @param threads may wait for answers
     */
    LossWatch(
            ServerSettings<RestAddress> settings,
            RestHttp http,
            Sessions sessions,
            LossListeners losses,
            Consumer<String> lost,
            Executor threads) {
        this.lost = lost;
        this.settings = settings;
        this.http = http;
        this.sessions = sessions;
        this.losses = losses;
        this.threads = threads;
    }

    /** Starts, unless it is already running. */
    synchronized void begin() {
        if (!running) {
            running = true;
            pingAfter(INTERVAL);
        }
    }

    /** Schedules the next ping, or stops if no listener is left. */
    private synchronized void pingAfter(Duration pause) {
        running = !closed.isDone() && losses.hasListeners();
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
            // The grants may still exist.
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
        long deadline = settings.nanos() + PATIENCE.toNanos();
        RestSession session = sessions.take(false, deadline, closed);
        try {
            Request ping = new Request("POST", session.own("/ping"), "", "");
            Answer answer = http.send(ping, deadline - settings.nanos(), closed);
            List<String> tokens = Replies.lost(answer);
            sessions.giveBack(session);
            tokens.forEach(lost);
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

    synchronized void close() {
        boolean unused = closed.complete(null);
        timer.close();
    }
}
