package io.flockgate.bench.load;

import io.flockgate.bench.BenchException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The REST API of dflockd over kept-alive connections, each with its own session. An acquire does
 * not wait. An answer has a body that ends with a line feed, or status 204 and no body.
 */
final class HttpProtocol implements Protocol {
    private static final Pattern SESSION =
            Pattern.compile("HTTP/1\\.1 200 .*\\r\\n\\r\\n\\{\"session_id\":\"([0-9a-f]{32})\".*", Pattern.DOTALL);
    private static final byte[] OK = Protocol.ascii("HTTP/1.1 200 ");
    private static final byte[] NO_CONTENT = Protocol.ascii("HTTP/1.1 204 ");
    private static final byte[] GRANTED = Protocol.ascii("{\"status\":\"ok\",\"token\":\"");
    private static final byte[] LEASE = Protocol.ascii("\",\"lease_ttl_s\":");
    private static final byte[] END = Protocol.ascii("}\n");

    private final String host;

    HttpProtocol(InetSocketAddress server) {
        this.host = server.getHostString() + ":" + server.getPort();
    }

    @Override
    public int room() {
        return 512;
    }

    @Override
    public String greeting() {
        return head("POST", "/v1/sessions") + "Content-Length: 0\r\n\r\n";
    }

    @Override
    public String session(String answer) {
        Matcher matcher = SESSION.matcher(answer);
        if (!matcher.matches()) {
            throw new BenchException("the request for a session was answered '" + answer.strip() + "'");
        }
        return matcher.group(1);
    }

    @Override
    public String farewell(String session) {
        return head("DELETE", "/v1/sessions/" + session) + "\r\n";
    }

    @Override
    public String acquire(String key, String session, int leaseSeconds) {
        return post(key, session, "{\"acquire_timeout_s\":0,\"lease_ttl_s\":" + leaseSeconds + "}");
    }

    @Override
    public String release(String key, String session) {
        return post(key + "/release", session, "{\"token\":\"" + NO_TOKEN + "\"}");
    }

    private String post(String path, String session, String body) {
        return head("POST", "/v1/locks/" + path)
                + "X-Dflockd-Session: " + session + "\r\n"
                + "Content-Type: application/json\r\n"
                + "Content-Length: " + body.length() + "\r\n\r\n" + body;
    }

    /** The request line and the headers of every request, without the empty line. */
    private String head(String method, String path) {
        return method + " " + path + " HTTP/1.1\r\nHost: " + host + "\r\n";
    }

    @Override
    public int end(ByteBuffer in, int from, int to) {
        int body = body(in, from, to);
        if (body == NONE || Protocol.startsWith(in, from, to, NO_CONTENT)) {
            return body;
        }
        for (int i = body; i < to; i++) {
            if (in.get(i) == '\n') {
                return i + 1;
            }
        }
        return NONE;
    }

    /** The position after the empty line; {@link #NONE} if that has not arrived. */
    private static int body(ByteBuffer in, int from, int to) {
        for (int i = from; i < to - 2; i++) {
            if (in.get(i) == '\n' && in.get(i + 1) == '\r' && in.get(i + 2) == '\n') {
                return i + 3;
            }
        }
        return NONE;
    }

    /** The head, the token, the lease in whole seconds, the end of the object. */
    @Override
    public int grant(ByteBuffer in, int from, int end) {
        int token = body(in, from, end) + GRANTED.length;
        boolean begun =
                Protocol.startsWith(in, from, end, OK) && Protocol.startsWith(in, token - GRANTED.length, end, GRANTED);
        int lease = begun ? Protocol.afterToken(in, token, end) : NONE;
        int digits = lease != NONE && Protocol.startsWith(in, lease, end, LEASE)
                ? Protocol.afterDigits(in, lease + LEASE.length, end)
                : NONE;
        return digits != NONE && Protocol.startsWith(in, digits, end, END) ? token : NONE;
    }

    @Override
    public boolean isReleased(ByteBuffer in, int from, int end) {
        return Protocol.startsWith(in, from, end, NO_CONTENT);
    }
}
