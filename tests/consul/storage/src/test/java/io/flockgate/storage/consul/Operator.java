package io.flockgate.storage.consul;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A user of Consul's plain HTTP API, such as an operator or another program. Independent of
 * gateways.
 */
final class Operator {
    static final String SEMAPHORE = "16210313421097356768";
    static final String MUTEX = "3304740253564472344";

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final String address;

    /** One key as Consul shows it. */
    record Entry(
            String key,
            String flags,
            String value,
            @Nullable String session,
            long modifyIndex) {}

    Operator(String address) {
        this.address = address;
    }

    /** Writes unconditionally. */
    void put(String key, String flags, String value) {
        send("PUT", "/v1/kv/" + key + "?flags=" + flags, value.getBytes(UTF_8));
    }

    /** Writes if the entry has not changed since. */
    boolean cas(Entry read, String value) {
        String query = "?cas=" + read.modifyIndex() + "&flags=" + read.flags();
        return send("PUT", "/v1/kv/" + read.key() + query, value.getBytes(UTF_8))
                .contains("true");
    }

    @CanIgnoreReturnValue
    boolean acquire(String key, String flags, String session) {
        return acquire(key, flags, session, "");
    }

    boolean acquire(String key, String flags, String session, String value) {
        byte[] body = value.getBytes(UTF_8);
        return send("PUT", "/v1/kv/" + key + "?acquire=" + session + "&flags=" + flags, body)
                .contains("true");
    }

    void release(String key, String flags, String session) {
        send("PUT", "/v1/kv/" + key + "?release=" + session + "&flags=" + flags, new byte[0]);
    }

    void delete(String key) {
        send("DELETE", "/v1/kv/" + key, new byte[0]);
    }

    void deleteTree(String prefix) {
        send("DELETE", "/v1/kv/" + prefix + "?recurse", new byte[0]);
    }

    /** A session like those of Consul's own tools, which is never renewed. */
    String session() {
        byte[] body =
                "{\"TTL\":\"60s\",\"Behavior\":\"delete\",\"LockDelay\":\"0s\",\"NodeChecks\":[]}".getBytes(UTF_8);
        return new JsonObject(send("PUT", "/v1/session/create", body)).getString("ID");
    }

    void destroySession(String id) {
        send("PUT", "/v1/session/destroy/" + id, new byte[0]);
    }

    Entry get(String key) {
        return find(key).orElseThrow(() -> new AssertionError("not there: " + key));
    }

    Optional<Entry> find(String key) {
        return list(key).stream().filter(each -> each.key().equals(key)).findFirst();
    }

    List<Entry> list(String prefix) {
        String body = send("GET", "/v1/kv/" + prefix + "?recurse&consistent", new byte[0]);
        List<Entry> entries = new ArrayList<>();
        if (!body.isEmpty()) {
            new JsonArray(body).forEach(each -> entries.add(entry((JsonObject) each)));
        }
        return entries;
    }

    /** The index of the last change below a prefix. */
    long index(String prefix) {
        return exchange("GET", "/v1/kv/" + prefix + "?recurse&consistent", new byte[0])
                .headers()
                .firstValueAsLong("X-Consul-Index")
                .orElseThrow();
    }

    private static Entry entry(JsonObject json) {
        String value = Objects.requireNonNullElse(json.getString("Value"), "");
        return new Entry(
                json.getString("Key"),
                json.getValue("Flags").toString(),
                new String(Base64.getDecoder().decode(value), UTF_8),
                json.getString("Session"),
                json.getLong("ModifyIndex"));
    }

    @CanIgnoreReturnValue
    private String send(String method, String path, byte[] body) {
        HttpResponse<String> answer = exchange(method, path, body);
        if (answer.statusCode() == 404) {
            return "";
        }
        if (answer.statusCode() != 200) {
            throw new AssertionError(method + " " + path + ": " + answer.statusCode() + " " + answer.body());
        }
        return answer.body();
    }

    private HttpResponse<String> exchange(String method, String path, byte[] body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address + path))
                .method(method, BodyPublishers.ofByteArray(body))
                .build();
        try {
            return HTTP.send(request, BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError("Consul does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
