package io.flockgate.client.rest;

import io.flockgate.client.Subscription;
import io.flockgate.client.rest.RestHttp.Answer;
import io.flockgate.client.rest.RestHttp.Request;
import io.flockgate.client.support.ServerSettings;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * Signals to the server every few seconds that a session is in use. This keeps a session without
 * other requests alive, and reveals a server or a network that has fallen silent.
 */
final class Pings implements Subscription {
    private static final Duration LONGEST = Duration.ofSeconds(10);
    private static final Duration SHORTEST = Duration.ofSeconds(1);

    /** Why a session cannot be relied on, as a ping shows. */
    enum Trouble {
        /** The session has ended. */
        GONE,
        /** No answer came. */
        UNANSWERED
    }

    private final ServerSettings<RestAddress> settings;
    private final RestHttp http;
    private final RestSession session;
    private final Consumer<Trouble> listener;
    private final Duration interval;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private Subscription timer = () -> {};

    private Pings(
            ServerSettings<RestAddress> settings, RestHttp http, RestSession session, Consumer<Trouble> listener) {
        this.settings = settings;
        this.http = http;
        this.session = session;
        this.listener = listener;
        Duration half = session.idleTimeout().dividedBy(2);
        Duration longEnough = half.compareTo(SHORTEST) < 0 ? SHORTEST : half;
        this.interval = half.isZero() || longEnough.compareTo(LONGEST) > 0 ? LONGEST : longEnough;
    }

    /** Starts pinging. The listener is called on a thread that it must not block. */
    static Pings start(
            ServerSettings<RestAddress> settings, RestHttp http, RestSession session, Consumer<Trouble> listener) {
        Pings pings = new Pings(settings, http, session, listener);
        pings.later();
        return pings;
    }

    private synchronized void later() {
        if (!closed.isDone()) {
            timer = settings.environment().scheduler().after(interval, this::due);
        }
    }

    private void due() {
        try {
            http.threads().execute(this::ping);
        } catch (RejectedExecutionException closing) {
            close();
        }
    }

    private void ping() {
        if (closed.isDone()) {
            return;
        }
        try {
            Request ping = new Request("POST", session.own("/ping"), "", "");
            Answer answer = http.send(ping, interval.toNanos(), closed);
            if (answer.code().equals("session_gone")) {
                listener.accept(Trouble.GONE);
                return;
            }
        } catch (RestException unanswered) {
            if (!closed.isDone()) {
                listener.accept(Trouble.UNANSWERED);
            }
        }
        later();
    }

    @Override
    public synchronized void close() {
        boolean unused = closed.complete(null);
        timer.close();
    }
}
