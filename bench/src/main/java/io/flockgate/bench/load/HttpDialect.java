package io.flockgate.bench.load;

import io.flockgate.bench.BenchException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The REST API of dflockd over kept-alive connections, each with its own session. An acquire does
 * not wait.
 */
final class HttpDialect implements Dialect {
    private static final Pattern SESSION =
            Pattern.compile("HTTP/1\\.1 200 .*\\r\\n\\r\\n\\{\"session_id\":\"([0-9a-f]{32})\".*", Pattern.DOTALL);
    private static final String TOKEN_HEAD = "{\"token\":\"";
    private static final String TOKEN_TAIL = "\"}";

    private final String host;
    private final HttpReplies replies = new HttpReplies();

    HttpDialect(InetSocketAddress server) {
        this.host = server.getHostString() + ":" + server.getPort();
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

    private static BenchException surprise(String request, String answer) {
        ByteBuffer bytes = ByteBuffer.wrap(Replies.ascii(answer));
        return new BenchException(request + " was answered '" + Replies.quote(bytes, 0, bytes.limit()) + "'");
    }

    @Override
    public Step acquire(List<String> keys, String session, int leaseSeconds) {
        String body = "{\"acquire_timeout_s\":0,\"lease_ttl_s\":" + leaseSeconds + "}";
        Step.Builder step = new Step.Builder();
        for (String key : keys) {
            step.add(post(key, session, body.length())).add(body);
        }
        return step.build(Expected.GRANT);
    }

    @Override
    public Step release(List<String> keys, String session) {
        int length = TOKEN_HEAD.length() + Step.TOKEN + TOKEN_TAIL.length();
        Step.Builder step = new Step.Builder();
        for (String key : keys) {
            step.add(post(key + "/release", session, length))
                    .add(TOKEN_HEAD)
                    .token()
                    .add(TOKEN_TAIL);
        }
        return step.build(Expected.RELEASED);
    }

    private String post(String path, String session, int length) {
        return head("POST", "/v1/locks/" + path)
                + "X-Dflockd-Session: " + session + "\r\n"
                + "Content-Type: application/json\r\n"
                + "Content-Length: " + length + "\r\n\r\n";
    }

    /** The request line and the headers of every request, without the empty line. */
    private String head(String method, String path) {
        return method + " " + path + " HTTP/1.1\r\nHost: " + host + "\r\n";
    }
}
