package io.flockgate.client.consul;

import io.flockgate.consul.format.KeyPath;
import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.json.JsonException;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.ConsulException.Effect;
import io.flockgate.consul.kv.Failures;
import io.flockgate.consul.kv.KvEntry;
import io.flockgate.consul.kv.KvList;
import io.flockgate.consul.kv.KvOp;
import io.flockgate.consul.kv.RequestJson;
import io.flockgate.consul.kv.ResponseJson;
import io.flockgate.consul.kv.TxnOutcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Consul's HTTP API as values. Every method throws {@link ConsulException}. Thread safe. */
final class ConsulApi {
    private static final byte[] NOTHING = {};
    private static final CompletableFuture<Void> NEVER = new CompletableFuture<>();

    private final ConsulHttp http;
    private final boolean urgent;

    ConsulApi(ConsulHttp http) {
        this(http, false);
    }

    private ConsulApi(ConsulHttp http, boolean urgent) {
        this.http = http;
        this.urgent = urgent;
    }

    /**
     * The same API for requests that renew what would otherwise be lost. They go before the others.
     */
    ConsulApi urgent() {
        return new ConsulApi(http, true);
    }

    /** Everything below the prefix of a key, as the leader has it. */
    KeyView read(KeyPath path, long deadline) {
        return read(path, "?recurse&consistent", deadline, NEVER);
    }

    /** The same, once it has changed since the index or the wait has ended. */
    KeyView await(KeyPath path, long index, Duration wait, long deadline, CompletableFuture<?> stop) {
        return read(path, "?recurse&index=" + index + "&wait=" + wait.toMillis() + "ms", deadline, stop);
    }

    private KeyView read(KeyPath path, String query, long deadline, CompletableFuture<?> stop) {
        ConsulHttp.Answer answer = http.send(urgent, "GET", "/v1/kv/" + path.root() + query, NOTHING, deadline, stop);
        List<KvEntry> entries = answer.status() == 404 ? List.of() : entries(expect(answer));
        return KeyView.of(path, new KvList(entries, Math.max(answer.index(), 1)));
    }

    /** One entry; null if there is none. */
    @Nullable
    KvEntry entry(String key, long deadline) {
        ConsulHttp.Answer answer = http.send(urgent, "GET", "/v1/kv/" + key + "?consistent", NOTHING, deadline, NEVER);
        List<KvEntry> entries = answer.status() == 404 ? List.of() : entries(expect(answer));
        return entries.isEmpty() ? null : entries.get(0);
    }

    TxnOutcome txn(List<KvOp> operations, long deadline) {
        try {
            ConsulHttp.Answer answer =
                    http.send(urgent, "PUT", "/v1/txn", RequestJson.txn(operations), deadline, NEVER);
            return answer.status() == 409
                    ? Failures.ofObstacles(understood(answer, ResponseJson::obstacles))
                    : new TxnOutcome.Committed(understood(expect(answer), ResponseJson::results));
        } catch (ConsulException failed) {
            return Failures.outcome(failed);
        }
    }

    /**
     * Creates a session without lock delay or check, whose end does not delete its keys. Returns
     * its id.
     */
    String createSession(String name, Duration ttl, long deadline) {
        ConsulHttp.Answer answer =
                http.send(urgent, "PUT", "/v1/session/create", RequestJson.session(name, ttl), deadline, NEVER);
        return understood(expect(answer), ResponseJson::id);
    }

    /** All sessions that the token may read. */
    List<ResponseJson.Session> sessions(long deadline) {
        return understood(
                expect(http.send(urgent, "GET", "/v1/session/list?consistent", NOTHING, deadline, NEVER)),
                ResponseJson::sessions);
    }

    /** Renews a session. Returns false if it does not exist. */
    boolean renewSession(String id, long deadline) {
        ConsulHttp.Answer answer = http.send(urgent, "PUT", "/v1/session/renew/" + id, NOTHING, deadline, NEVER);
        return answer.status() != 404 && expect(answer).status() == 200;
    }

    void destroySession(String id, long deadline) {
        ConsulHttp.Answer unused =
                expect(http.send(urgent, "PUT", "/v1/session/destroy/" + id, NOTHING, deadline, NEVER));
    }

    private static ConsulHttp.Answer expect(ConsulHttp.Answer answer) {
        if (answer.status() != 200) {
            throw Failures.ofAnswer(answer.status(), answer.words());
        }
        return answer;
    }

    private static List<KvEntry> entries(ConsulHttp.Answer answer) {
        return understood(answer, ResponseJson::entries);
    }

    private static <T> T understood(ConsulHttp.Answer answer, Function<byte[], T> reader) {
        try {
            return reader.apply(answer.body());
        } catch (JsonException other) {
            throw Errors.unavailable(Effect.UNKNOWN, "Consul's answer cannot be read: " + other.getMessage());
        }
    }
}
