package io.flockgate.consul.testbed;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Sends the few requests that the test bed itself needs. */
final class ConsulApi {
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final Pattern LAST_LOG_INDEX = Pattern.compile("\"last_log_index\":\\s*\"(\\d+)\"");
    private static final Pattern SESSION_ID = Pattern.compile("\"ID\":\\s*\"([0-9a-f-]+)\"");

    private static final Pattern UNSYNCED = Pattern.compile("\"TaggedAddresses\":\\s*null");

    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .proxy(HttpClient.Builder.NO_PROXY)
            .connectTimeout(PATIENCE)
            .build();

    private final URI address;
    private final @Nullable String token;

    ConsulApi(URI address, @Nullable String token) {
        this.address = address;
        this.token = token;
    }

    record Reply(int status, String body) {
        boolean ok() {
            return status == 200;
        }
    }

    Reply get(String path) throws IOException {
        return send(HttpRequest.newBuilder(address.resolve(path)).GET());
    }

    Reply put(String path, String body) throws IOException {
        return send(HttpRequest.newBuilder(address.resolve(path)).PUT(BodyPublishers.ofString(body)));
    }

    private Reply send(HttpRequest.Builder request) throws IOException {
        if (token != null) {
            request.header("X-Consul-Token", token);
        }
        try {
            HttpResponse<String> response = HTTP.send(request.timeout(PATIENCE).build(), BodyHandlers.ofString());
            return new Reply(response.statusCode(), response.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + address, e);
        }
    }

    long raftIndex() throws IOException {
        Reply reply = get("/v1/agent/self");
        Matcher matcher = LAST_LOG_INDEX.matcher(reply.body());
        if (!reply.ok() || !matcher.find()) {
            throw new IOException("no Raft index from " + address + ": status " + reply.status());
        }
        return Long.parseLong(matcher.group(1));
    }

    /**
     * The Raft address of the leader in this agent's view; empty if it knows none or does not
     * answer.
     */
    String leader() {
        try {
            Reply reply = get("/v1/status/leader");
            return reply.ok() ? reply.body().strip().replace("\"", "") : "";
        } catch (IOException e) {
            return "";
        }
    }

    /** True when the agent creates sessions and has no pending writes of its own. */
    boolean ready() {
        try {
            return makesSessions() && (token != null || nodesSynced());
        } catch (IOException e) {
            return false;
        }
    }

    /** True when the agent creates sessions, or when its ACLs refuse the test bed. */
    boolean makesSessions() {
        try {
            Reply made = put("/v1/session/create", "{\"Name\":\"ready?\"}");
            if (token == null && refused(made)) {
                return true;
            }
            Matcher id = SESSION_ID.matcher(made.body());
            return made.ok()
                    && id.find()
                    && put("/v1/session/destroy/" + id.group(1), "").ok();
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean refused(Reply reply) {
        return reply.status() == 403 && reply.body().contains("Permission denied");
    }

    /**
     * True when the catalog contains the agents' addresses, which are the last entries that they
     * write at start-up.
     */
    private boolean nodesSynced() throws IOException {
        Reply nodes = get("/v1/catalog/nodes");
        return refused(nodes) || (nodes.ok() && !UNSYNCED.matcher(nodes.body()).find());
    }
}
