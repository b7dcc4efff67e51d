package io.flockgate.gateway.server.http;

import io.flockgate.testsupport.HeldGrant;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Calls in a session of the REST API, which survives restarts while it holds something. */
final class RestCalls implements HoldingClient.Calls {
    private final int port;
    private String session = "";
    private @Nullable RawHttp http;

    RestCalls(int port) {
        this.port = port;
    }

    @Override
    public void reconnect() throws IOException {
        close();
        RawHttp connected = RawHttp.of(port);
        http = connected;
        boolean known = !session.isEmpty()
                && connected
                                .ask("POST", "/v1/sessions/" + session + "/ping", "", "")
                                .status()
                        == 204;
        if (!known) {
            session = SessionClient.newSession(connected);
        }
    }

    private Response post(String path, String body) throws IOException {
        RawHttp present = http;
        if (present == null) {
            throw new IOException("not connected");
        }
        return present.ask("POST", "/v1/locks/" + path, SessionClient.header(session), body);
    }

    @Override
    public @Nullable HeldGrant acquire(String key, int leaseSeconds) throws IOException {
        Response answer = post(key, "{\"acquire_timeout_s\":1,\"lease_ttl_s\":" + leaseSeconds + "}");
        if (answer.status() == 200) {
            return HeldGrant.of(key, "ok " + answer.token() + " " + leaseSeconds);
        }
        if (answer.status() == 408 || answer.status() == 409) {
            return null;
        }
        throw new IOException(answer.toString());
    }

    @Override
    public boolean renew(HeldGrant grant, int leaseSeconds) throws IOException {
        return isHeld(post(
                grant.key() + "/renew", "{\"token\":\"" + grant.token() + "\",\"lease_ttl_s\":" + leaseSeconds + "}"));
    }

    @Override
    public boolean release(HeldGrant grant) throws IOException {
        return isHeld(post(grant.key() + "/release", "{\"token\":\"" + grant.token() + "\"}"));
    }

    private static boolean isHeld(Response answer) throws IOException {
        if (answer.status() == 200 || answer.status() == 204) {
            return true;
        }
        if (answer.status() == 404) {
            return false;
        }
        throw new IOException(answer.toString());
    }

    @Override
    public void close() throws IOException {
        RawHttp present = http;
        if (present != null) {
            present.close();
        }
    }
}
