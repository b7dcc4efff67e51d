package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;

/** A client of the REST API on one connection, as one session unless stated otherwise. */
final class SessionClient implements AutoCloseable {
    private static final String SESSION = "X-Dflockd-Session";

    private final int port;
    private final RawHttp http;
    private final String session;

    private SessionClient(int port, RawHttp http, String session) {
        this.port = port;
        this.http = http;
        this.session = session;
    }

    /** With its own session. */
    static SessionClient of(int port) throws IOException {
        RawHttp http = RawHttp.of(port);
        return new SessionClient(port, http, newSession(http));
    }

    /** With a session that another process has begun. */
    static SessionClient resumed(int port, String session) throws IOException {
        return new SessionClient(port, RawHttp.of(port), session);
    }

    static String newSession(RawHttp http) throws IOException {
        Response created = http.ask("POST", "/v1/sessions", "", "");
        assertThat(created.status()).as("%s", created).isEqualTo(200);
        assertThat(created.member("session_id")).matches("[0-9a-f]{32}");
        return created.member("session_id");
    }

    /** Another connection of the same session. */
    SessionClient again() throws IOException {
        return new SessionClient(port, RawHttp.of(port), session);
    }

    RawHttp http() {
        return http;
    }

    String session() {
        return session;
    }

    /** The header line that assigns a request to this session. */
    String header() {
        return header(session);
    }

    static String header(String session) {
        return SESSION + ": " + session + "\r\n";
    }

    Response post(String path, String body) throws IOException {
        return http.ask("POST", path, header(), body);
    }

    /** Sends a request and does not read the response. */
    void begin(String path, String body) throws IOException {
        http.send(RawHttp.request("POST", path, header(), body));
    }

    /** The response to the request that has been begun. */
    Response answer() throws IOException {
        return http.response();
    }

    Response lock(String key, String body) throws IOException {
        return post("/v1/locks/" + key, body);
    }

    /** Begins to wait for a lock. */
    void beginLock(String key, int timeoutSeconds) throws IOException {
        begin("/v1/locks/" + key, "{\"acquire_timeout_s\":" + timeoutSeconds + "}");
    }

    /** Takes a free lock for 60 seconds and returns its token. */
    @CanIgnoreReturnValue
    String lock(String key) throws IOException {
        return granted(lock(key, "{\"acquire_timeout_s\":0,\"lease_ttl_s\":60}"));
    }

    /** The token of a grant. */
    static String granted(Response response) {
        assertThat(response.status()).as("%s", response).isEqualTo(200);
        assertThat(response.outcome()).as("%s", response).isIn("ok", "acquired");
        assertThat(response.token()).matches("[0-9a-f]{32}");
        return response.token();
    }

    void release(String key, String token) throws IOException {
        Response released = post("/v1/locks/" + key + "/release", "{\"token\":\"" + token + "\"}");
        assertThat(released.status()).as("%s", released).isEqualTo(204);
    }

    Response renew(String key, String token, int leaseSeconds) throws IOException {
        return post(
                "/v1/locks/" + key + "/renew", "{\"token\":\"" + token + "\",\"lease_ttl_s\":" + leaseSeconds + "}");
    }

    Response enqueue(String key) throws IOException {
        return post("/v1/locks/" + key + "/enqueue", "");
    }

    Response await(String key, int timeoutSeconds) throws IOException {
        return post("/v1/locks/" + key + "/wait", "{\"timeout_s\":" + timeoutSeconds + "}");
    }

    Response ping() throws IOException {
        return http.ask("POST", "/v1/sessions/" + session + "/ping", "", "");
    }

    Response delete() throws IOException {
        return http.ask("DELETE", "/v1/sessions/" + session, "", "");
    }

    void expectNoAnswerYet() throws IOException {
        http.expectNoAnswerYet();
    }

    @Override
    public void close() throws IOException {
        http.close();
    }
}
