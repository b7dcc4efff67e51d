package io.flockgate.gateway.transcript;

import io.flockgate.gateway.server.http.Response;
import io.flockgate.gateway.server.http.ResponseReader;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/** A connection whose replies are read as whole HTTP responses. */
final class PlayedHttpConnection extends PlayedConnection {
    private final ResponseReader reader;
    private final ResponseCheck check;
    private final Deque<Asked> unanswered = new ArrayDeque<>();

    private record Asked(String method, String target) {}

    /** Checks every response, whatever a transcript expects. */
    interface ResponseCheck {
        /** Fails with an {@link AssertionError}. */
        void check(String method, String target, Response response) throws IOException;
    }

    PlayedHttpConnection(int port, ResponseCheck check) throws IOException {
        super(port);
        this.check = check;
        reader = new ResponseReader(in());
    }

    /** Must be called for each request, because the response to a HEAD has no body. */
    void asked(String method, String target) {
        unanswered.add(new Asked(method, target));
    }

    @Override
    Received receive(Duration patience) throws IOException {
        patience(patience);
        try {
            Asked asked = unanswered.peek();
            Response answer = reader.read(asked != null && asked.method().equals("HEAD"));
            if (asked != null && answer.status() >= 200) {
                unanswered.remove();
                check.check(asked.method(), asked.target(), answer);
            }
            return new Received.Message(answer);
        } catch (SocketTimeoutException e) {
            return new Received.Silence(reader.unfinished());
        } catch (EOFException | SocketException e) {
            return new Received.End(reader.unfinished());
        } catch (AssertionError e) {
            return new Received.Garbage(String.valueOf(e.getMessage()));
        }
    }
}
