package io.flockgate.storage.consul;

import io.flockgate.storage.Key;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A key, read only by the documented formats in Consul, without the storage's own code. */
record RawKey(long holders, long waiters) {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    static RawKey read(String address, String base, Key key) {
        String prefix = base + escaped(key) + "/";
        JsonArray entries = get(address, prefix);
        long waiters = 0;
        Set<String> sessions = new HashSet<>();
        JsonObject lock = null;
        for (Object each : entries) {
            JsonObject entry = (JsonObject) each;
            String name = entry.getString("Key").substring(prefix.length());
            if (name.equals(".lock")) {
                lock = entry;
            } else if (name.startsWith(".wait/")) {
                waiters++;
            } else if (entry.getString("Session") != null) {
                sessions.add(entry.getString("Session"));
            }
        }
        return new RawKey(lock == null ? 0 : holders(lock, sessions), waiters);
    }

    private static long holders(JsonObject lock, Set<String> sessions) {
        if (!lock.getValue("Flags").toString().equals("16210313421097356768")) {
            return lock.getString("Session") == null ? 0 : 1;
        }
        String text = new String(Base64.getDecoder().decode(lock.getString("Value")), StandardCharsets.UTF_8);
        Object holders = new JsonObject(text).getValue("Holders");
        Set<String> ids = new HashSet<>();
        if (holders instanceof JsonArray list) {
            list.forEach(each -> ids.add((String) each));
        } else {
            ids.addAll(((JsonObject) holders).fieldNames());
        }
        ids.retainAll(sessions);
        return ids.size();
    }

    private static String escaped(Key key) {
        StringBuilder escaped = new StringBuilder();
        byte[] bytes = key.toBytes();
        for (int i = 0; i < bytes.length; i++) {
            boolean dot =
                    bytes[i] == '.' && i > 0 && i < bytes.length - 1 && bytes[i - 1] != '.' && bytes[i + 1] != '.';
            boolean plain = dot || "_-".indexOf(bytes[i]) >= 0 || (bytes[i] > 0 && Character.isLetterOrDigit(bytes[i]));
            escaped.append(
                    plain
                            ? String.valueOf((char) bytes[i])
                            : "," + HexFormat.of().toHexDigits(bytes[i]));
        }
        return escaped.toString();
    }

    private static JsonArray get(String address, String prefix) {
        URI uri = URI.create(address + "/v1/kv/" + prefix + "?recurse&consistent");
        try {
            var answer = HTTP.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
            @Nullable String body = answer.statusCode() == 404 ? null : answer.body();
            return body == null ? new JsonArray() : new JsonArray(body);
        } catch (IOException e) {
            throw new AssertionError("Consul does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
