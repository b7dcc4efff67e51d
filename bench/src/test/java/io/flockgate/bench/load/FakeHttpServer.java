package io.flockgate.bench.load;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The same behind the routes of the REST API; a request that is not quite right is answered 400. */
final class FakeHttpServer extends FakeServer {
    private static final Map<String, String> COMMANDS = Map.of("", "l", "/release", "r", "/enqueue", "e", "/wait", "w");
    private static final Map<String, String> BODIES = Map.of(
            "", "\\{\"acquire_timeout_s\":\\d+(,\"limit\":\\d+)?,\"lease_ttl_s\":\\d+}",
            "/release", "\\{\"token\":\"[0-9a-f]{32}\"}",
            "/enqueue", "\\{\"lease_ttl_s\":\\d+}",
            "/wait", "\\{\"timeout_s\":\\d+}");

    private final Set<String> sessions = ConcurrentHashMap.newKeySet();
    private final AtomicInteger created = new AtomicInteger();
    private final Set<String> unreleased = ConcurrentHashMap.newKeySet();
    private final Set<String> timeouts = ConcurrentHashMap.newKeySet();
    private final @Nullable String authToken;

    FakeHttpServer(int permits, UnaryOperator<String> tamper, @Nullable String authToken) throws IOException {
        super(permits, tamper);
        this.authToken = authToken;
    }

    FakeHttpServer() throws IOException {
        this(1, answer -> answer, null);
    }

    int sessionsCreated() {
        return created.get();
    }

    int sessionsLeft() {
        return sessions.size();
    }

    /** The acquire_timeout_s that came. */
    Set<String> timeouts() {
        return timeouts;
    }

    @Override
    @Nullable
    String exchange(BufferedReader in) throws IOException, InterruptedException {
        String request = in.readLine();
        if (request == null) {
            return null;
        }
        Map<String, String> headers = new HashMap<>();
        for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
            String[] parts = line.split(": ", 2);
            headers.put(parts[0].toLowerCase(Locale.ROOT), parts[1]);
        }
        StringBuilder body = new StringBuilder();
        for (int left = Integer.parseInt(headers.getOrDefault("content-length", "0")); left > 0; left--) {
            body.append((char) in.read());
        }
        return tamper.apply(answer(request, headers, body.toString()));
    }

    private String answer(String request, Map<String, String> headers, String body) throws InterruptedException {
        String[] words = request.split(" ", -1);
        boolean authorised = authToken == null || Objects.equals(headers.get("authorization"), "Bearer " + authToken);
        if (words.length != 3 || !words[2].equals("HTTP/1.1") || !headers.containsKey("host")) {
            return error("400 Bad Request", "bad_request");
        } else if (!authorised) {
            return error("401 Unauthorized", "unauthorized");
        } else if (words[1].startsWith("/v1/sessions")) {
            return session(words[0] + " " + words[1]);
        }
        return operation(words[1], headers.getOrDefault("x-dflockd-session", ""), body);
    }

    private String session(String request) {
        if (request.equals("POST /v1/sessions")) {
            String id = String.format("%032x", created.incrementAndGet());
            sessions.add(id);
            return json("200 OK", "{\"session_id\":\"" + id + "\",\"idle_timeout_s\":20}");
        }
        boolean known = request.startsWith("DELETE /v1/sessions/")
                && sessions.remove(request.substring("DELETE /v1/sessions/".length()));
        return known ? "HTTP/1.1 204 No Content\r\n\r\n" : error("410 Gone", "session_gone");
    }

    private String operation(String path, String session, String body) throws InterruptedException {
        String[] parts = path.split("/", 5);
        String operation = parts.length == 5 ? "/" + parts[4] : "";
        String pattern = BODIES.get(operation);
        if (!sessions.contains(session)) {
            return error("410 Gone", "session_gone");
        } else if (pattern == null || !body.matches(pattern)) {
            return error("400 Bad Request", "bad_request");
        } else if (operation.equals("/release")
                && !unreleased.remove(body.replaceAll(".*\"([0-9a-f]{32})\".*", "$1"))) {
            return error("404 Not Found", "not_held");
        }
        if (operation.isEmpty()) {
            timeouts.add(body.replaceAll("\\{\"acquire_timeout_s\":(\\d+).*", "$1"));
        }
        String key = parts[2] + "/" + URLDecoder.decode(parts[3], StandardCharsets.ISO_8859_1);
        return outcome(answer(Objects.requireNonNull(COMMANDS.get(operation)), key, body));
    }

    private String outcome(String answer) {
        String[] words = answer.split(" ", -1);
        if (words.length == 1) {
            return "HTTP/1.1 204 No Content\r\n\r\n";
        }
        unreleased.add(words[1]);
        return json("200 OK", "{\"status\":\"%s\",\"token\":\"%s\",\"lease_ttl_s\":%s}".formatted((Object[]) words));
    }

    private static String error(String status, String code) {
        return json(status, "{\"error\":\"" + code + "\"}");
    }

    private static String json(String status, String body) {
        return "HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\nContent-Length: " + (body.length() + 1)
                + "\r\n\r\n" + body + "\n";
    }
}
