package io.flockgate.storage.consul.api;

import com.ecwid.consul.transport.TransportException;
import com.ecwid.consul.v1.ConsulRawClient;
import com.ecwid.consul.v1.OperationException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.Failures;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.text.Reason;
import java.io.IOException;
import java.net.SocketException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.net.ssl.SSLException;
import org.apache.http.HttpHost;
import org.apache.http.NoHttpResponseException;
import org.apache.http.config.Lookup;
import org.apache.http.conn.socket.ConnectionSocketFactory;
import org.apache.http.conn.socket.PlainConnectionSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Runs calls of Ecwid's client on one Consul agent, and classifies their failures.
 *
 * <p>There are three pools of connections, so that commands, watches and renewals never wait for
 * each other. The connections of the renewals are opened first and kept, because an agent accepts a
 * limited number. An interrupt aborts a call at once if it runs on a virtual thread.
 */
final class EcwidTransport implements AutoCloseable {
    /**
     * The connections for commands. With the watches of 32 keys, of all keys and of its session, a
     * gateway has 62 in total, so three gateways fit into an agent's 200.
     */
    static final int COMMANDS = 24;

    /** The connections for renewals that are kept open. */
    private static final int RENEWALS = 4;

    /** The connections for renewals of the sessions of many slots over a slow link. */
    private static final int MORE_RENEWALS = 64;

    /**
     * The maximum life of a connection. A new connection resolves names and reads certificates
     * again.
     */
    private static final int CONNECTION_LIFE_MINUTES = 5;

    /** The pause of all but renewals after Consul has refused a request because of too many. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Environment environment;
    private final Lane commands;
    private final Lane watches;
    private final Lane renewals;
    private final BoundedHttpClient.Limits limits;
    private final ConsulAddress address;
    private final TokenSource tokens;
    private volatile long pausedUntil;
    private volatile Runnable refusal = () -> {};
    private volatile boolean opened;
    private volatile boolean closed;

    /**
     * A pool of connections, and Ecwid's client over it.
     *
     * @param urgent whether its requests take precedence over all others
     */
    private record Lane(BoundedHttpClient http, ConsulRawClient consul, boolean urgent) {}

    /** A call of Ecwid's client, with the list of entries that its response contains. */
    interface Call<T extends @Nullable Object> {
        T make(ConsulRawClient consul, BoundedHttpClient.Pending pending);
    }

    /**
     * Opens no connection yet.
     *
     * @throws IllegalArgumentException when the certificate files cannot be used
     */
    EcwidTransport(Environment environment, ConsulOptions options, BoundedHttpClient.Limits limits) {
        this.environment = environment;
        this.limits = limits;
        this.address = options.address();
        this.tokens = options.token();
        this.pausedUntil = environment.now();
        Lookup<ConnectionSocketFactory> sockets = address.tls()
                ? new TlsSockets(environment, options)
                : scheme -> PlainConnectionSocketFactory.getSocketFactory();
        this.commands = lane(sockets, COMMANDS, false, options);
        this.watches = lane(sockets, options.watchBudget(), false, options);
        this.renewals = lane(sockets, RENEWALS + MORE_RENEWALS, true, options);
    }

    private Lane lane(Lookup<ConnectionSocketFactory> sockets, int pool, boolean urgent, ConsulOptions options) {
        var http = new BoundedHttpClient(sockets, pool, urgent ? -1 : CONNECTION_LIFE_MINUTES, limits, options.scope());
        String agent = address.scheme() + "://" + address.host();
        return new Lane(http, new ConsulRawClient(http.client(), agent, address.port(), ""), urgent);
    }

    /** Sets the listener for connections that the agent refuses. */
    void onRefusal(Runnable listener) {
        refusal = listener;
    }

    /** Opens the connections of the renewals before others use up all that the agent accepts. */
    void openRenewals() {
        if (!opened) {
            opened = renewals.http().open(new HttpHost(address.host(), address.port(), address.scheme()), RENEWALS);
        }
    }

    /** Records that the token lacks a right, or that Consul does not know it. */
    void tokenRefused() {
        tokens.refused();
    }

    <T extends @Nullable Object> T command(Function<ConsulRawClient, T> call) {
        return run(commands, limits.command(), null, (consul, pending) -> call.apply(consul));
    }

    /** A read whose response is a list of entries. */
    <T> T list(Call<T> call) {
        return run(commands, limits.command(), List.of(), call);
    }

    /**
     * A read that Consul may answer late.
     *
     * @param seconds the time for which Consul may wait
     * @param known the known entries of the response; null when it is not a list of entries
     */
    <T extends @Nullable Object> T watch(long seconds, @Nullable List<KvEntry> known, Call<T> call) {
        int timeout = Math.toIntExact(seconds * 1000 + seconds * 1000 / 16) + limits.watchExtra();
        return run(watches, timeout, known, call);
    }

    /** A write that does not wait for other requests. */
    <T extends @Nullable Object> T renewal(Function<ConsulRawClient, T> call) {
        return run(renewals, limits.renewal(), null, (consul, pending) -> call.apply(consul));
    }

    private <T extends @Nullable Object> T run(Lane lane, int timeout, @Nullable List<KvEntry> known, Call<T> call) {
        var pending = new BoundedHttpClient.Pending(tokens.token(), timeout, known);
        try {
            if (closed) {
                throw failure(new IOException("closed"), false);
            }
            long left = pausedUntil - environment.now();
            if (left > 0 && !lane.urgent()) {
                environment.sleep(left);
            }
            return ScopedValue.where(BoundedHttpClient.Pending.CURRENT, pending)
                    .call(() -> call.make(lane.consul(), pending));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure(e, false);
        } catch (TransportException e) {
            throw unanswered(e.getCause() == null ? e : e.getCause(), pending);
        } catch (OperationException e) {
            throw refused(e.getStatusCode(), e.getStatusContent());
        } catch (ConsulException e) {
            throw e;
        } catch (RuntimeException e) {
            // Ecwid's client cannot read the answer, unless nothing was sent.
            throw pending.sent && !closed ? Failures.ofInvalidAnswer(e) : failure(e, pending.sent);
        }
    }

    private ConsulException unanswered(Throwable cause, BoundedHttpClient.Pending pending) {
        if (cause instanceof BoundedHttpClient.FilteredException) {
            tokens.refused();
            return new ConsulException(FailureKind.DENIED, Effect.NOT_DONE, String.valueOf(cause.getMessage()), cause);
        }
        // Consul before 1.9 closes a connection of too many at once.
        boolean cut = pending.first && (cause instanceof NoHttpResponseException || cause instanceof SocketException);
        if (cause instanceof SSLException
                || (cut && !closed && !Thread.currentThread().isInterrupted())) {
            refusal.run();
        }
        return failure(cause, pending.sent);
    }

    /** The failure for an answer whose status is not the expected one. */
    ConsulException refused(int status, String content) {
        if (status == 429) {
            pausedUntil = environment.now() + PAUSE_NANOS;
            refusal.run();
        } else if (status == 403) {
            tokens.refused();
        }
        return Failures.ofAnswer(status, Failures.words(content));
    }

    /** The failure for a request without an answer. */
    private ConsulException failure(Throwable failure, boolean sent) {
        Effect effect = sent ? Effect.UNKNOWN : Effect.NOT_DONE;
        if (closed) {
            return new ConsulException(FailureKind.CLOSED, effect, "the client of Consul has been closed", failure);
        }
        boolean tooLarge = failure instanceof BoundedHttpClient.AnswerTooLargeException;
        return new ConsulException(
                tooLarge ? FailureKind.INVALID : FailureKind.UNAVAILABLE,
                effect,
                (sent ? "no answer from Consul at " : "Consul cannot be reached at ") + address + ": "
                        + Reason.of(failure),
                failure);
    }

    /** Aborts all requests. Later requests fail. */
    @Override
    public void close() {
        closed = true;
        List.of(commands, watches, renewals).forEach(lane -> lane.http().close());
    }
}
