package io.flockgate.client.consul;

import io.flockgate.client.consul.ConsulException.Kind;
import io.flockgate.client.json.JsonArray;
import io.flockgate.client.json.JsonException;
import io.flockgate.client.json.JsonObject;
import io.flockgate.client.json.JsonReader;
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

    ConsulApi(ConsulHttp http) {
        this.http = http;
    }

    /** The result of a transaction. */
    sealed interface Txn {
        /** Consul has carried out all operations. */
        record Committed(List<Entry> results) implements Txn {}

        /** Consul has carried out nothing, because it could not carry out these operations. */
        record Refused(List<Obstacle> obstacles) implements Txn {
            boolean has(Function<Obstacle, Boolean> kind) {
                return obstacles.stream().anyMatch(kind::apply);
            }
        }
    }

    /** Consul's reason against one operation, counted from 0. */
    record Obstacle(int operation, String what) {
        boolean isLockDelay() {
            return what.endsWith(" due to lock delay");
        }

        boolean isInvalidSession() {
            return what.startsWith("invalid session ");
        }
    }

    /** Everything below the prefix of a key, as the leader has it. */
    View read(KeyPath path, long deadline) {
        return read(path, "?recurse&consistent", deadline, NEVER);
    }

    /** The same when it has changed since the index, or when the time is over. */
    View await(KeyPath path, long index, Duration wait, long deadline, CompletableFuture<?> stop) {
        return read(path, "?recurse&index=" + index + "&wait=" + wait.toMillis() + "ms", deadline, stop);
    }

    private View read(KeyPath path, String query, long deadline, CompletableFuture<?> stop) {
        ConsulHttp.Answer answer = http.send("GET", "/v1/kv/" + path.root() + query, NOTHING, deadline, stop);
        List<Entry> entries = answer.status() == 404 ? List.of() : entries(expect(answer));
        return new View(path, entries, Math.max(answer.index(), 1));
    }

    /** One entry; null if there is none. */
    @Nullable
    Entry entry(String key, long deadline) {
        ConsulHttp.Answer answer = http.send("GET", "/v1/kv/" + key + "?consistent", NOTHING, deadline, NEVER);
        List<Entry> entries = answer.status() == 404 ? List.of() : entries(expect(answer));
        return entries.isEmpty() ? null : entries.get(0);
    }

    Txn txn(List<JsonObject> operations, long deadline) {
        byte[] body = new JsonArray(List.copyOf(operations)).toBytes();
        ConsulHttp.Answer answer = http.send("PUT", "/v1/txn", body, deadline, NEVER);
        if (answer.status() == 409) {
            return refused(read(answer, bytes -> obstacles(JsonReader.readObject(bytes, MAX_JSON))));
        }
        return new Txn.Committed(read(expect(answer), bytes -> results(JsonReader.readObject(bytes, MAX_JSON))));
    }

    private static Txn refused(List<Obstacle> obstacles) {
        for (Obstacle obstacle : obstacles) {
            if (Failures.isDenied(obstacle.what())) {
                throw new ConsulException(Kind.DENIED, false, "Consul refused: " + obstacle.what(), null);
            }
        }
        return new Txn.Refused(obstacles);
    }

    private static List<Obstacle> obstacles(JsonObject json) {
        List<Obstacle> obstacles = new ArrayList<>();
        for (JsonObject each : objects(json.array("Errors"))) {
            String what = Objects.requireNonNullElse(each.string("What"), "");
            obstacles.add(new Obstacle((int) Values.number(each, "OpIndex", 0), what));
        }
        return obstacles;
    }

    private static List<Entry> results(JsonObject json) {
        List<Entry> entries = new ArrayList<>();
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
        JsonObject session = JsonObject.builder()
                .put("Name", name)
                .put("TTL", ttl.toMillis() + "ms")
                .put("Behavior", "release")
                .put("LockDelay", "0s")
                // Present although empty: without the field Consul takes the node's own health check.
                .put("NodeChecks", new JsonArray(List.of()))
                .build();
        ConsulHttp.Answer answer = http.send("PUT", "/v1/session/create", session.toBytes(), deadline, NEVER);
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
        ConsulHttp.Answer answer = expect(http.send("GET", "/v1/session/list?consistent", NOTHING, deadline, NEVER));
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
        ConsulHttp.Answer answer = http.send("PUT", "/v1/session/renew/" + id, NOTHING, deadline, NEVER);
        return answer.status() != 404 && expect(answer).status() == 200;
    }

    void destroySession(String id, long deadline) {
        ConsulHttp.Answer unused = expect(http.send("PUT", "/v1/session/destroy/" + id, NOTHING, deadline, NEVER));
    }

    private static ConsulHttp.Answer expect(ConsulHttp.Answer answer) {
        if (answer.status() != 200) {
            throw Failures.ofAnswer(answer.status(), answer.words());
        }
        return answer;
    }

    private static List<Entry> entries(ConsulHttp.Answer answer) {
        return read(
                answer,
                body -> JsonReader.readArray(body, MAX_JSON).objects().stream()
                        .map(ConsulApi::entry)
                        .toList());
    }

    private static Entry entry(JsonObject json) {
        String key = json.string("Key");
        if (key == null) {
            throw new JsonException("an entry without a key");
        }
        String value = json.string("Value");
        String session = json.string("Session");
        return new Entry(
                key,
                value == null ? NOTHING : decoded(value),
                unsigned(json, "Flags"),
                session == null || session.isEmpty() ? null : session,
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
        return new ConsulException(Kind.UNAVAILABLE, true, "Consul's answer cannot be read: " + why, null);
    }
}
