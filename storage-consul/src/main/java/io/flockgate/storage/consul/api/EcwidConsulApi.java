package io.flockgate.storage.consul.api;

import com.ecwid.consul.transport.HttpResponse;
import com.ecwid.consul.transport.TransportException;
import com.ecwid.consul.v1.ConsulRawClient;
import com.ecwid.consul.v1.Request;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.storage.consul.api.ConsulException.Effect;
import io.flockgate.storage.consul.api.ConsulException.FailureKind;
import io.flockgate.storage.consul.environment.Environment;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import org.apache.http.config.Registry;
import org.apache.http.config.RegistryBuilder;
import org.apache.http.conn.socket.ConnectionSocketFactory;
import org.apache.http.conn.socket.PlainConnectionSocketFactory;

/**
 * Consul through Ecwid's client, of which the raw part only is used: its typed calls cannot carry Consul's unsigned flags,
 * and know no transactions. The raw part encodes no keys and logs the token it is given, so keys are encoded here, and the
 * token and the body of the answer go past it in an {@link PendingRequest}. Has three pools of connections, so that commands, watches and what keeps sessions alive never
 * wait for each other.
 *
 * <p>An interrupt ends a watch at once. It ends another call on a virtual thread only; on others the call goes on to its time limit.
 */
public final class EcwidConsulApi implements ConsulApi {
    private static final byte[] NO_BODY = {};
    private static final char[] HEX = "0123456789ABCDEF".toCharArray();

    private final Lane commands;
    private final Lane watches;
    private final Lane heartbeats;
    private final Environment environment;
    private final Limits limits;
    private final TokenSource tokens;
    private final Set<PendingRequest> underWay = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** One pool of connections and Ecwid's client over it. */
    private record Lane(BoundedHttpClient http, ConsulRawClient consul) {
        static Lane of(BoundedHttpClient http, ConsulAddress to) {
            return new Lane(http, new ConsulRawClient(http, to.scheme() + "://" + to.host(), to.port(), ""));
        }
    }

    /**
     * Time limits in milliseconds, and the most bytes that an answer may have.
     *
     * @param command above the 7 s for which Consul holds a request while there is no leader, below the sessions' time to live
     * @param lease for a free connection of a pool
     */
    record Limits(int connect, int command, int heartbeat, int watchExtra, int lease, int answer) {
        static final Limits STANDARD = new Limits(1000, 9000, 3000, 5000, 1000, 64 << 20);

        Limits withCommand(int other) {
            return new Limits(connect, other, heartbeat, watchExtra, lease, answer);
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
    public EcwidConsulApi(Environment environment, ConsulOptions options) {
        this(environment, options, Limits.STANDARD);
    }

    /**
     * The same, for those who cannot wait so long for a read or a write.
     *
     * @param command up to 9 s
     */
    public EcwidConsulApi(Environment environment, ConsulOptions options, Duration command) {
        this(environment, options, Limits.STANDARD.withCommand(Math.toIntExact(command.toMillis())));
    }

    EcwidConsulApi(Environment environment, ConsulOptions options, Limits limits) {
        this.environment = environment;
        this.limits = limits;
        this.tokens = options.token();
        Registry<ConnectionSocketFactory> sockets = sockets(environment, options);
        this.commands = lane(options, sockets, 32);
        this.watches = lane(options, sockets, options.watchBudget());
        this.heartbeats = lane(options, sockets, 4);
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

    private Lane lane(ConsulOptions options, Registry<ConnectionSocketFactory> sockets, int pool) {
        var http = new BoundedHttpClient(sockets, pool, limits.connect(), limits.lease(), limits.answer());
        return Lane.of(http, options.address());
    }

    @Override
    public KvList list(String prefix, Consistency consistency) {
        var parameters = new ArrayList<String>();
        parameters.add("recurse");
        if (consistency == Consistency.CONSISTENT) {
            parameters.add("consistent");
        }
        return kvList(send(commands, Method.GET, kv(prefix), parameters, NO_BODY, limits.command()));
    }

    @Override
    public KvList watch(String prefix, long index, Duration wait) {
        long seconds = Math.max(1, wait.toSeconds());
        List<String> parameters = List.of("recurse", "index=" + Long.toUnsignedString(index), "wait=" + seconds + "s");
        int timeout = Math.toIntExact(seconds * 1000 + seconds * 1000 / 16) + limits.watchExtra();
        return kvList(sendInterruptibly(watches, kv(prefix), parameters, timeout));
    }

    private KvList kvList(ConsulResponse answer) {
        requireWhole(answer);
        if (answer.status() != 404 && !answer.ok()) {
            throw ErrorClassifier.ofAnswer(answer);
        }
        List<KvEntry> entries = answer.ok() ? understood(answer, ConsulJson::entries) : List.of();
        if (answer.index() == 0) {
            // Without it a watch would spin, and a 404 may be of something that is not Consul.
            throw ErrorClassifier.ofNonsense(new IOException("no X-Consul-Index in an answer " + answer.status()));
        }
        return new KvList(entries, answer.index());
    }

    /** What is left out of a shortened list would seem not to exist, and its holders dead. */
    private void requireWhole(ConsulResponse answer) {
        if (answer.filtered()) {
            tokens.refused();
            throw new ConsulException(
                    FailureKind.DENIED, Effect.NOT_DONE, "Consul left out what the token has no right to read");
        }
    }

    @Override
    public List<String> names(String prefix, String separator) {
        List<String> parameters = List.of("keys", "separator=" + encoded(separator, false));
        ConsulResponse answer = send(commands, Method.GET, kv(prefix), parameters, NO_BODY, limits.command());
        requireWhole(answer);
        if (answer.status() == 404 && answer.index() != 0) {
            return List.of();
        }
        return understood(expectOk(answer), ConsulJson::names);
    }

    @Override
    public TxnOutcome txn(List<KvOp> operations) {
        try {
            byte[] body = written(() -> ConsulJson.txn(operations));
            return outcome(send(commands, Method.PUT, "/v1/txn", List.of(), body, limits.command()));
        } catch (ConsulException e) {
            return ErrorClassifier.outcome(e);
        }
    }

    private TxnOutcome outcome(ConsulResponse answer) {
        return switch (answer.status()) {
            case 200 -> new TxnOutcome.Committed(understood(answer, ConsulJson::results));
            case 409 -> refused(answer);
            default -> throw ErrorClassifier.ofAnswer(answer);
        };
    }

    private TxnOutcome refused(ConsulResponse answer) {
        TxnOutcome outcome;
        try {
            outcome = ErrorClassifier.ofObstacles(ConsulJson.obstacles(answer.body()));
        } catch (IOException e) {
            throw ErrorClassifier.ofAnswer(answer);
        }
        if (outcome instanceof TxnOutcome.NotDone refusal && refusal.cause().kind() == FailureKind.DENIED) {
            tokens.refused();
        }
        return outcome;
    }

    @Override
    public String createSession(SessionSpec spec) {
        byte[] body = written(() -> ConsulJson.session(spec));
        ConsulResponse answer = send(commands, Method.PUT, "/v1/session/create", List.of(), body, limits.command());
        return understood(expectOk(answer), ConsulJson::id);
    }

    @Override
    public boolean renewSession(String id) {
        String endpoint = "/v1/session/renew/" + encoded(id, false);
        ConsulResponse answer = send(heartbeats, Method.PUT, endpoint, List.of(), NO_BODY, limits.heartbeat());
        if (answer.status() == 404 && answer.words().startsWith("Session id ")) {
            return false;
        }
        expectOk(answer);
        return true;
    }

    @Override
    public void destroySession(String id) {
        expectOk(command("/v1/session/destroy/" + encoded(id, false), NO_BODY));
    }

    @Override
    public void registerService(String id, String name, Duration ttl) {
        expectOk(command("/v1/agent/service/register", written(() -> ConsulJson.service(id, name, ttl))));
    }

    @Override
    public boolean passCheck(String id, Duration limit) {
        int timeout = Math.clamp(limit.toMillis(), 1, limits.heartbeat());
        String endpoint = "/v1/agent/check/pass/" + encoded(id, false);
        ConsulResponse answer = send(heartbeats, Method.PUT, endpoint, List.of(), NO_BODY, timeout);
        if (isUnknown("check", answer)) {
            return false;
        }
        expectOk(answer);
        return true;
    }

    @Override
    public void deregisterService(String id) {
        ConsulResponse answer = command("/v1/agent/service/deregister/" + encoded(id, false), NO_BODY);
        if (!isUnknown("service", answer)) {
            expectOk(answer);
        }
    }

    /** Consul 1.8 says it with 500, later ones with 404. */
    private static boolean isUnknown(String what, ConsulResponse answer) {
        String words = answer.words();
        return (answer.status() == 404 || answer.status() == 500)
                && (words.contains("Unknown " + what) || words.contains("does not have associated TTL"));
    }

    private ConsulResponse command(String endpoint, byte[] body) {
        return send(commands, Method.PUT, endpoint, List.of(), body, limits.command());
    }

    private ConsulResponse send(
            Lane lane, Method method, String endpoint, List<String> parameters, byte[] body, int timeout) {
        return send(lane, method, request(endpoint, parameters, body), new PendingRequest(tokens.token(), timeout));
    }

    /** On a thread of its own, so that an interrupt of this one has an effect whatever kind of thread it is. */
    private ConsulResponse sendInterruptibly(Lane lane, String endpoint, List<String> parameters, int timeout) {
        var exchange = new PendingRequest(tokens.token(), timeout);
        var answer = new CompletableFuture<ConsulResponse>();
        environment.start("consul-watch", () -> {
            try {
                answer.complete(send(lane, Method.GET, request(endpoint, parameters, NO_BODY), exchange));
            } catch (Throwable e) {
                answer.completeExceptionally(e);
            }
        });
        try {
            return answer.get();
        } catch (InterruptedException e) {
            exchange.abort();
            Thread.currentThread().interrupt();
            throw new ConsulException(
                    FailureKind.UNAVAILABLE, Effect.NOT_DONE, "interrupted while waiting for Consul", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ConsulException failure ? failure : ErrorClassifier.ofNonsense(e);
        }
    }

    private static Request request(String endpoint, List<String> parameters, byte[] body) {
        return Request.Builder.newBuilder()
                .setEndpoint(endpoint)
                .addUrlParameter(() -> parameters)
                .setBinaryContent(body)
                .build();
    }

    private ConsulResponse send(Lane lane, Method method, Request request, PendingRequest exchange) {
        underWay.add(exchange);
        try {
            if (closed) {
                throw ErrorClassifier.ofFailure(new IOException("closed"), false, true);
            }
            HttpResponse response = ScopedValue.where(PendingRequest.CURRENT, exchange)
                    .call(() -> switch (method) {
                        case GET -> lane.consul().makeGetRequest(request);
                        case PUT -> lane.consul().makePutRequest(request);
                    });
            return answer(response, exchange);
        } catch (TransportException e) {
            throw ErrorClassifier.ofFailure(e.getCause() == null ? e : e.getCause(), exchange.sent(), closed);
        } catch (ConsulException e) {
            throw e;
        } catch (RuntimeException e) {
            throw ErrorClassifier.ofFailure(e, exchange.sent(), closed);
        } finally {
            underWay.remove(exchange);
        }
    }

    private ConsulResponse answer(HttpResponse response, PendingRequest exchange) {
        Long index = response.getConsulIndex();
        if (response.getStatusCode() == 403) {
            tokens.refused();
        }
        return new ConsulResponse(
                response.getStatusCode(), exchange.body(), index == null ? 0 : index, exchange.filtered());
    }

    @CanIgnoreReturnValue
    private static ConsulResponse expectOk(ConsulResponse answer) {
        if (!answer.ok()) {
            throw ErrorClassifier.ofAnswer(answer);
        }
        return answer;
    }

    private interface Reader<T> {
        T read(byte[] body) throws IOException;
    }

    private interface Writer {
        byte[] write() throws IOException;
    }

    private static <T> T understood(ConsulResponse answer, Reader<T> reader) {
        try {
            return reader.read(answer.body());
        } catch (IOException e) {
            throw ErrorClassifier.ofNonsense(e);
        }
    }

    private static byte[] written(Writer writer) {
        try {
            return writer.write();
        } catch (IOException e) {
            throw new ConsulException(
                    FailureKind.INVALID, Effect.NOT_DONE, "cannot be said to Consul: " + e.getMessage(), e);
        }
    }

    private static String kv(String prefix) {
        return "/v1/kv/" + encoded(prefix, true);
    }

    /** Percent-encoded, as Ecwid's client does not. */
    private static String encoded(String text, boolean path) {
        var out = new StringBuilder(text.length() + 16);
        for (byte b : written(() -> ConsulJson.wellFormed(text).getBytes(StandardCharsets.UTF_8))) {
            char c = (char) (b & 0xff);
            if (isPlain(c) || (path && c == '/')) {
                out.append(c);
            } else {
                out.append('%').append(HEX[c >> 4]).append(HEX[c & 15]);
            }
        }
        return out.toString();
    }

    private static boolean isPlain(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || "-._~".indexOf(c) >= 0;
    }

    @Override
    public void close() {
        closed = true;
        underWay.forEach(PendingRequest::abort);
        for (Lane lane : List.of(commands, watches, heartbeats)) {
            try {
                lane.http().close();
            } catch (IOException e) {
                // Nothing is left to be done with its connections.
            }
        }
    }
}
