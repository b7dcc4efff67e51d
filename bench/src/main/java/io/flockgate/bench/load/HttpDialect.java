package io.flockgate.bench.load;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The REST API of dflockd over kept-alive connections, each with a session of its own. An acquire of an unshared key does
 * not wait; an acquire of a shared key is a long poll.
 */
final class HttpDialect implements Dialect {
    private static final int DAY_SECONDS = 86_400;
    private static final Pattern SESSION =
            Pattern.compile("HTTP/1\\.1 200 .*\\r\\n\\r\\n\\{\"session_id\":\"([0-9a-f]{32})\".*", Pattern.DOTALL);
    private static final String KEY = "{key}";
    private static final String LOCK = "/v1/locks/" + KEY;
    private static final String SEMAPHORE = "/v1/semaphores/" + KEY;
    private static final String TOKEN_HEAD = "{\"token\":\"";
    private static final String TOKEN_TAIL = "\"}";

    private final Settings settings;
    private final HttpReplies replies = new HttpReplies();

    HttpDialect(Settings settings) {
        this.settings = settings;
    }

    @Override
    public Replies replies() {
        return replies;
    }

    @Override
    public String greet(Dialler dialler, SocketChannel channel) throws IOException {
        String answer = dialler.ask(channel, head("POST", "/v1/sessions") + "Content-Length: 0\r\n\r\n");
        Matcher matcher = SESSION.matcher(answer);
        if (!matcher.matches()) {
            throw surprise("the request for a session", answer);
        }
        return matcher.group(1);
    }

    @Override
    public void leave(Dialler dialler, SocketChannel channel, String session) throws IOException {
        String answer = dialler.ask(channel, head("DELETE", "/v1/sessions/" + session) + "\r\n");
        if (!answer.startsWith("HTTP/1.1 204 ")) {
            throw surprise("the end of a session", answer);
        }
    }

    private static LoadException surprise(String request, String answer) {
        ByteBuffer bytes = ByteBuffer.wrap(Replies.ascii(answer));
        return new LoadException(request + " was answered '" + Replies.quote(bytes, 0, bytes.limit()) + "'");
    }

    @Override
    public List<Step> round(List<String> keys, String session) {
        int timeout = settings.timeoutSeconds();
        int lease = settings.leaseSeconds();
        return switch (settings.mode()) {
            case CYCLE, PIPELINE, HOT, KEYS, IDLE ->
                List.of(requests(keys, session, Expected.GRANT, LOCK, acquire(lease)), releases(keys, session, LOCK));
            case SEM ->
                List.of(
                        requests(keys, session, Expected.GRANT, SEMAPHORE, acquireSlot(timeout, lease)),
                        releases(keys, session, SEMAPHORE));
            case TWOPHASE ->
                List.of(
                        requests(
                                keys, session, Expected.ENQUEUED, LOCK + "/enqueue", "{\"lease_ttl_s\":" + lease + "}"),
                        requests(keys, session, Expected.GRANT, LOCK + "/wait", "{\"timeout_s\":" + timeout + "}"),
                        releases(keys, session, LOCK));
        };
    }

    @Override
    public Step hold(List<String> keys, String session) {
        return requests(keys, session, Expected.GRANT, LOCK, acquire(DAY_SECONDS));
    }

    private String acquire(int lease) {
        int timeout = settings.shared() ? settings.timeoutSeconds() : 0;
        return "{\"acquire_timeout_s\":" + timeout + ",\"lease_ttl_s\":" + lease + "}";
    }

    private String acquireSlot(int timeout, int lease) {
        return "{\"acquire_timeout_s\":" + timeout + ",\"limit\":" + settings.limit() + ",\"lease_ttl_s\":" + lease
                + "}";
    }

    private Step requests(List<String> keys, String session, Expected expected, String path, String body) {
        Step.Builder step = new Step.Builder();
        for (String key : keys) {
            step.add(post(path, key, session, body.length())).add(body);
        }
        return step.build(expected);
    }

    private Step releases(List<String> keys, String session, String path) {
        int length = TOKEN_HEAD.length() + Step.TOKEN + TOKEN_TAIL.length();
        Step.Builder step = new Step.Builder();
        for (String key : keys) {
            step.add(post(path + "/release", key, session, length))
                    .add(TOKEN_HEAD)
                    .token()
                    .add(TOKEN_TAIL);
        }
        return step.build(Expected.RELEASED);
    }

    private String post(String path, String key, String session, int length) {
        return head("POST", path.replace(KEY, encoded(key)))
                + "X-Dflockd-Session: " + session + "\r\n"
                + "Content-Type: application/json\r\n"
                + "Content-Length: " + length + "\r\n\r\n";
    }

    /** The request line and the headers of every request, without the empty line. */
    private String head(String method, String path) {
        String token = settings.authToken();
        return method + " " + path + " HTTP/1.1\r\n"
                + "Host: " + settings.address().getHostString() + ":"
                + settings.address().getPort() + "\r\n"
                + (token == null ? "" : "Authorization: Bearer " + token + "\r\n");
    }

    /** The key percent-encoded as one segment of a path. Dots too, since {@code ..} would go up. */
    private static String encoded(String key) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < key.length(); i++) {
            char c = key.charAt(i);
            boolean plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            text.append(
                    plain || c == '_' || c == '-' || c == '~' ? String.valueOf(c) : String.format("%%%02X", (int) c));
        }
        return text.toString();
    }
}
