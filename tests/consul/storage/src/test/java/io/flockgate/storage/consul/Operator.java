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
import org.jspecify.annotations.Nullable;

/** Reads Consul's entries by its plain HTTP API, and deletes them. Independent of gateways. */
final class Operator {
    static final String SEMAPHORE = "16210313421097356768";

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final String address;

    /** One key as Consul shows it. */
    record Entry(
            String key,
            String flags,
            String value,
            @Nullable String session) {}

    Operator(String address) {
        this.address = address;
    }

    void deleteTree(String prefix) {
        send("DELETE", prefix + "?recurse");
    }

    List<Entry> list(String prefix) {
        String body = send("GET", prefix + "?recurse&consistent").body();
        List<Entry> entries = new ArrayList<>();
        if (!body.isEmpty()) {
            new JsonArray(body).forEach(each -> entries.add(entry((JsonObject) each)));
        }
        return entries;
    }

    /** The index of the last change below a prefix. */
    long index(String prefix) {
        return send("GET", prefix + "?recurse&consistent")
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
                json.getString("Session"));
    }

    @CanIgnoreReturnValue
    private HttpResponse<String> send(String method, String keys) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address + "/v1/kv/" + keys))
                .method(method, BodyPublishers.noBody())
                .build();
        try {
            HttpResponse<String> answer = HTTP.send(request, BodyHandlers.ofString());
            // The status for a prefix without entries is 404.
            if (answer.statusCode() != 200 && answer.statusCode() != 404) {
                throw new AssertionError(method + " " + keys + ": " + answer.statusCode() + " " + answer.body());
            }
            return answer;
        } catch (IOException e) {
            throw new AssertionError("Consul does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
