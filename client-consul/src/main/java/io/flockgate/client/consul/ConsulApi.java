package io.flockgate.client.consul;

import io.flockgate.consul.format.KeyPath;
import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.json.JsonArray;
import io.flockgate.consul.json.JsonException;
import io.flockgate.consul.json.JsonObject;
import io.flockgate.consul.json.JsonReader;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.ConsulException.Effect;
import io.flockgate.consul.kv.Failures;
import io.flockgate.consul.kv.KvEntry;
import io.flockgate.consul.kv.KvList;
import io.flockgate.consul.kv.KvOp;
import io.flockgate.consul.kv.RequestJson;
import io.flockgate.consul.kv.TxnOutcome;
import io.flockgate.consul.kv.TxnOutcome.Obstacle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Consul's HTTP API as values. Every method throws {@link ConsulException}. Thread safe. */
final class ConsulApi {
    private static final int MAX_JSON = 64 * 1024 * 1024;
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

    /** The same for requests that renew what would be lost otherwise. They go before the others. */
    ConsulApi urgent() {
        return new ConsulApi(http, true);
    }

    /** Everything below the prefix of a key, as the leader has it. */
    KeyView read(KeyPath path, long deadline) {
        return read(path, "?recurse&consistent", deadline, NEVER);
    }

    /** The same when it has changed since the index, or when the time is over. */
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
                    ? Failures.ofObstacles(read(answer, body -> obstacles(JsonReader.readObject(body, MAX_JSON))))
                    : new TxnOutcome.Committed(
                            read(expect(answer), body -> results(JsonReader.readObject(body, MAX_JSON))));
        } catch (ConsulException failed) {
            return Failures.outcome(failed);
        }
    }

    private static List<Obstacle> obstacles(JsonObject json) {
        List<Obstacle> obstacles = new ArrayList<>();
        for (JsonObject each : objects(json.array("Errors"))) {
            obstacles.add(new Obstacle((int) unsigned(each, "OpIndex"), text(each, "What")));
        }
        return obstacles;
    }

    private static List<KvEntry> results(JsonObject json) {
        List<KvEntry> entries = new ArrayList<>();
        for (JsonObject each : objects(json.array("Results"))) {
            JsonObject kv = each.object("KV");
            if (kv != null) {
                entries.add(entry(kv));
            }
        }
        return entries;
    }

    private static List<JsonObject> objects(@Nullable JsonArray array) {
        return array == null ? List.of() : array.objects();
    }

    /** Makes a session without lock delay or check, whose end leaves its keys. Returns its id. */
    String createSession(String name, Duration ttl, long deadline) {
        ConsulHttp.Answer answer =
                http.send(urgent, "PUT", "/v1/session/create", RequestJson.session(name, ttl), deadline, NEVER);
        String id = read(expect(answer), body -> JsonReader.readObject(body, MAX_JSON))
                .string("ID");
        if (id == null) {
            throw unreadable("a session without an id");
        }
        return id;
    }

    /** A session: its id and its name. */
    record Session(String id, String name) {}

    /** All sessions that the token may read. */
    List<Session> sessions(long deadline) {
        ConsulHttp.Answer answer =
                expect(http.send(urgent, "GET", "/v1/session/list?consistent", NOTHING, deadline, NEVER));
        return read(
                answer,
                body -> JsonReader.readArray(body, MAX_JSON).objects().stream()
                        .map(each -> new Session(text(each, "ID"), text(each, "Name")))
                        .toList());
    }

    private static String text(JsonObject json, String name) {
        return Objects.requireNonNullElse(json.string(name), "");
    }

    /** Renews a session. False when it does not exist. */
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
        return read(
                answer,
                body -> JsonReader.readArray(body, MAX_JSON).objects().stream()
                        .map(ConsulApi::entry)
                        .toList());
    }

    private static KvEntry entry(JsonObject json) {
        String key = json.string("Key");
        if (key == null) {
            throw new JsonException("an entry without a key");
        }
        String value = json.string("Value");
        String session = json.string("Session");
        return new KvEntry(
                key,
                unsigned(json, "Flags"),
                value == null ? NOTHING : decoded(value),
                session == null || session.isEmpty() ? null : session,
                unsigned(json, "LockIndex"),
                unsigned(json, "CreateIndex"),
                unsigned(json, "ModifyIndex"));
    }

    private static byte[] decoded(String base64) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException other) {
            throw new JsonException("a value that is not base 64");
        }
    }

    private static long unsigned(JsonObject json, String name) {
        Long number = json.unsigned(name);
        return number == null ? 0 : number;
    }

    private static <T> T read(ConsulHttp.Answer answer, Function<byte[], T> form) {
        try {
            return form.apply(answer.body());
        } catch (JsonException other) {
            throw unreadable(String.valueOf(other.getMessage()));
        }
    }

    private static ConsulException unreadable(String why) {
        return Errors.unavailable(Effect.UNKNOWN, "Consul's answer cannot be read: " + why);
    }
}
