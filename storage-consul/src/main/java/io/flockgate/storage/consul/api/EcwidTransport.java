package io.flockgate.storage.consul.api;

import com.ecwid.consul.transport.HttpResponse;
import com.ecwid.consul.transport.TransportException;
import com.ecwid.consul.v1.ConsulRawClient;
import com.ecwid.consul.v1.Request;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.Effect;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.Failures;
import io.flockgate.storage.consul.kv.KvEntry;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.apache.http.HttpHost;
import org.apache.http.config.Registry;
import org.apache.http.config.RegistryBuilder;
import org.apache.http.conn.socket.ConnectionSocketFactory;
import org.apache.http.conn.socket.PlainConnectionSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to one Consul agent, through the raw part of Ecwid's client. Ecwid's typed calls
 * cannot carry Consul's unsigned flags, and do not support transactions. The raw part logs any
 * token that it is given, so a {@link PendingRequest} carries the token and the body of the answer
 * past it.
 *
 * <p>There are three pools of connections, so that commands, watches and renewals never wait for
 * each other. The connections of the renewals are opened first and kept, because an agent accepts a
 * limited number. An interrupt aborts a watch at once, but any other request only if that runs on a
 * virtual thread.
 */
final class EcwidTransport implements AutoCloseable {
    static final byte[] NO_BODY = {};

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

    private final Lane commands;
    private final Lane watches;
    private final Lane renewals;
    private final Environment environment;
    private final Limits limits;
    private final ConsulAddress address;
    private final TokenSource tokens;
    private final List<String> scope;
    private final Set<PendingRequest> underWay = ConcurrentHashMap.newKeySet();
    private final HttpHost agent;
    private final Throttle throttle;
    private volatile Runnable refusal = () -> {};
    private volatile boolean opened;
    private volatile boolean closed;

    /**
     * A pool of connections, and Ecwid's client over it.
     *
     * @param urgent whether its requests take precedence over all others
     */
    private record Lane(BoundedHttpClient http, ConsulRawClient consul, boolean urgent) {
        static Lane of(BoundedHttpClient http, ConsulAddress to, boolean urgent) {
            var consul = new ConsulRawClient(http, to.scheme() + "://" + to.host(), to.port(), "");
            return new Lane(http, consul, urgent);
        }
    }

    /**
     * The time limits in milliseconds, and the maximum size of an answer in bytes.
     *
     * @param command longer than the 7 s for which Consul holds a request while there is no leader,
     *     and shorter than the sessions' TTL
     * @param watchExtra added to the time that Consul may wait before it answers a watch
     * @param lease the wait for a free connection from a pool
     */
    record Limits(int connect, int command, int renewal, int watchExtra, int lease, int answer) {
        static final Limits STANDARD = new Limits(1000, 9000, 3000, 5000, 1000, AnswerSize.MAX);

        Limits withCommand(int other) {
            return new Limits(connect, other, renewal, watchExtra, lease, answer);
        }
    }

    private enum Method {
        GET,
        PUT
    }

    /**
     * Opens no connection yet.
     *
     * @throws IllegalArgumentException when the certificate files cannot be used
     */
    EcwidTransport(Environment environment, ConsulOptions options, Limits limits) {
        this.environment = environment;
        this.limits = limits;
        this.address = options.address();
        this.tokens = options.token();
        this.scope = options.scope();
        this.throttle = new Throttle(environment);
        Registry<ConnectionSocketFactory> sockets = sockets(environment, options);
        this.commands = lane(options, sockets, COMMANDS, false);
        this.watches = lane(options, sockets, options.watchBudget(), false);
        this.renewals = lane(options, sockets, RENEWALS + MORE_RENEWALS, true);
        this.agent = new HttpHost(
                options.address().host(),
                options.address().port(),
                options.address().scheme());
    }

    private static Registry<ConnectionSocketFactory> sockets(Environment environment, ConsulOptions options) {
        return RegistryBuilder.<ConnectionSocketFactory>create()
                .register(
                        options.address().scheme(),
                        options.address().tls()
                                ? new TlsSockets(environment, options)
                                : PlainConnectionSocketFactory.getSocketFactory())
                .build();
    }

    private Lane lane(ConsulOptions options, Registry<ConnectionSocketFactory> sockets, int pool, boolean urgent) {
        int lifeMinutes = urgent ? 0 : CONNECTION_LIFE_MINUTES;
        var http = new BoundedHttpClient(sockets, pool, lifeMinutes, limits.connect(), limits.lease(), limits.answer());
        return Lane.of(http, options.address(), urgent);
    }

    ConsulResponse get(String endpoint, List<String> parameters) {
        return send(commands, Method.GET, endpoint, parameters, NO_BODY, limits.command());
    }

    /** A GET whose response is a list of entries. */
    ConsulResponse list(String endpoint, List<String> parameters) {
        var pending = new PendingRequest(tokens.token(), limits.command(), List.of());
        return send(commands, Method.GET, request(endpoint, parameters, NO_BODY), pending);
    }

    ConsulResponse put(String endpoint, byte[] body) {
        return send(commands, Method.PUT, endpoint, List.of(), body, limits.command());
    }

    /** Sets the listener for connections that the agent refuses. */
    void onRefusal(Runnable listener) {
        refusal = listener;
    }

    /** Opens the connections of the renewals before others use up all that the agent accepts. */
    void openRenewals() {
        if (!opened) {
            opened = renewals.http().open(agent, RENEWALS);
        }
    }

    /** A PUT that does not wait for other requests. */
    ConsulResponse renew(String endpoint) {
        return send(renewals, Method.PUT, endpoint, List.of(), NO_BODY, limits.renewal());
    }

    /** Records that the token lacks a right, or that Consul does not know it. */
    void tokenRefused() {
        tokens.refused();
    }

    private ConsulResponse send(
            Lane lane, Method method, String endpoint, List<String> parameters, byte[] body, int timeout) {
        return send(
                lane, method, request(endpoint, parameters, body), new PendingRequest(tokens.token(), timeout, null));
    }

    /**
     * A GET that Consul may answer late. It runs on its own thread, so that an interrupt of the
     * caller aborts it whatever thread the caller runs on.
     *
     * @param wait the seconds for which Consul may wait
     * @param known the known entries of the response; null when the response is not a list of
     *     entries
     */
    ConsulResponse watch(String endpoint, List<String> parameters, long wait, @Nullable List<KvEntry> known) {
        int timeout = Math.toIntExact(wait * 1000 + wait * 1000 / 16) + limits.watchExtra();
        var pending = new PendingRequest(tokens.token(), timeout, known);
        var answer = new CompletableFuture<ConsulResponse>();
        environment.start("consul-watch", () -> {
            try {
                answer.complete(send(watches, Method.GET, request(endpoint, parameters, NO_BODY), pending));
            } catch (Throwable e) {
                answer.completeExceptionally(e);
            }
        });
        try {
            return answer.get();
        } catch (InterruptedException e) {
            pending.abort();
            Thread.currentThread().interrupt();
            throw new ConsulException(
                    FailureKind.UNAVAILABLE, Effect.NOT_DONE, "interrupted while waiting for Consul", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ConsulException failure ? failure : Failures.ofInvalidAnswer(e);
        }
    }

    private Request request(String endpoint, List<String> parameters, byte[] body) {
        List<String> all = Stream.concat(parameters.stream(), scope.stream()).toList();
        return Request.Builder.newBuilder()
                .setEndpoint(endpoint)
                .addUrlParameter(() -> all)
                .setBinaryContent(body)
                .build();
    }

    private ConsulResponse send(Lane lane, Method method, Request request, PendingRequest pending) {
        underWay.add(pending);
        try {
            if (closed) {
                throw failure(new IOException("closed"), false);
            }
            if (!lane.urgent()) {
                throttle.await();
            }
            HttpResponse response = ScopedValue.where(PendingRequest.CURRENT, pending)
                    .call(() -> switch (method) {
                        case GET -> lane.consul().makeGetRequest(request);
                        case PUT -> lane.consul().makePutRequest(request);
                    });
            return answer(response, pending);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure(e, false);
        } catch (TransportException e) {
            if (pending.isRefused() || e.getCause() instanceof SSLException) {
                refusal.run();
            }
            throw failure(e.getCause() == null ? e : e.getCause(), pending.sent());
        } catch (ConsulException e) {
            throw e;
        } catch (RuntimeException e) {
            throw failure(e, pending.sent());
        } finally {
            underWay.remove(pending);
        }
    }

    private ConsulException failure(Throwable failure, boolean sent) {
        return TransportFailures.of(failure, address, sent, closed);
    }

    private ConsulResponse answer(HttpResponse response, PendingRequest pending) {
        Long index = response.getConsulIndex();
        if (response.getStatusCode() == 429) {
            throttle.refused();
            refusal.run();
        }
        if (response.getStatusCode() == 403) {
            tokens.refused();
        }
        return new ConsulResponse(
                response.getStatusCode(),
                pending.body(),
                pending.list(),
                index == null ? 0 : index,
                pending.filtered());
    }

    /** Aborts all requests. Later requests fail. */
    @Override
    public void close() {
        closed = true;
        underWay.forEach(PendingRequest::abort);
        for (Lane lane : List.of(commands, watches, renewals)) {
            try {
                lane.http().close();
            } catch (IOException e) {
                // Its connections are closed as far as possible.
            }
        }
    }
}
