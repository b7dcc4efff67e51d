package io.flockgate.gateway.server.http;

import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Calls of a detached client of the line protocol. */
final class DetachedCalls implements HoldingClient.Calls {
    private final int port;
    private @Nullable LineClient client;

    DetachedCalls(int port) {
        this.port = port;
    }

    @Override
    public void reconnect() throws IOException {
        close();
        LineClient connected = LineClient.connect(port);
        client = connected;
        String answer = connected.ask("hello", "detached", "detached reasons");
        if (!answer.startsWith("ok")) {
            throw new IOException("not accepted: " + answer);
        }
    }

    private LineClient connection() throws IOException {
        LineClient present = client;
        if (present == null) {
            throw new IOException("not connected");
        }
        return present;
    }

    @Override
    public @Nullable HeldGrant acquire(String key, int leaseSeconds) throws IOException {
        String answer = connection().ask("l", key, "1 " + leaseSeconds);
        if (answer.startsWith("ok ")) {
            return HeldGrant.of(key, answer);
        }
        if (answer.equals("timeout")) {
            return null;
        }
        throw new IOException(answer);
    }

    @Override
    public boolean renew(HeldGrant grant, int leaseSeconds) throws IOException {
        return isHeld(connection().renew(grant, leaseSeconds));
    }

    @Override
    public boolean release(HeldGrant grant) throws IOException {
        return isHeld(connection().ask("r", grant.key(), grant.token()));
    }

    private static boolean isHeld(String answer) throws IOException {
        if (answer.startsWith("ok")) {
            return true;
        }
        if (answer.contains("not_held")) {
            return false;
        }
        throw new IOException(answer);
    }

    @Override
    public void close() throws IOException {
        LineClient present = client;
        if (present != null) {
            present.close();
        }
    }
}
