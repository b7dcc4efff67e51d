package io.flockgate.gateway.transcript;

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
    private final Deque<String> unanswered = new ArrayDeque<>();

    PlayedHttpConnection(int port) throws IOException {
        super(port);
        reader = new ResponseReader(in());
    }

    /** Must be called for each request, because the response to a HEAD has no body. */
    void asked(String method) {
        unanswered.add(method);
    }

    @Override
    Received receive(Duration patience) throws IOException {
        patience(patience);
        try {
            Received.Message answer = new Received.Message(reader.read("HEAD".equals(unanswered.peek())));
            if (answer.response().status() >= 200) {
                unanswered.poll();
            }
            return answer;
        } catch (SocketTimeoutException e) {
            return new Received.Silence(reader.unfinished());
        } catch (EOFException | SocketException e) {
            return new Received.End(reader.unfinished());
        } catch (AssertionError e) {
            return new Received.Garbage(String.valueOf(e.getMessage()));
        }
    }
}
