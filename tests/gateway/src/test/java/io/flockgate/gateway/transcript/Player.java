package io.flockgate.gateway.transcript;

import io.flockgate.gateway.transcript.PlayedConnection.Received;
import io.flockgate.gateway.transcript.PlayedHttpConnection.ResponseCheck;
import io.flockgate.gateway.transcript.TranscriptStep.ChunkSize;
import io.flockgate.gateway.transcript.TranscriptStep.Closed;
import io.flockgate.gateway.transcript.TranscriptStep.ExpectedLine;
import io.flockgate.gateway.transcript.TranscriptStep.ExpectedResponse;
import io.flockgate.gateway.transcript.TranscriptStep.Fence;
import io.flockgate.gateway.transcript.TranscriptStep.Hangup;
import io.flockgate.gateway.transcript.TranscriptStep.Http;
import io.flockgate.gateway.transcript.TranscriptStep.Manner;
import io.flockgate.gateway.transcript.TranscriptStep.Nothing;
import io.flockgate.gateway.transcript.TranscriptStep.Open;
import io.flockgate.gateway.transcript.TranscriptStep.Pause;
import io.flockgate.gateway.transcript.TranscriptStep.RequestToSend;
import io.flockgate.gateway.transcript.TranscriptStep.Send;
import io.flockgate.gateway.transcript.TranscriptStep.Session;
import io.flockgate.gateway.transcript.TranscriptStep.Speech;
import io.flockgate.gateway.transcript.TranscriptStep.Until;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Plays one transcript against a server; the first difference is an {@link AssertionError}. */
final class Player implements AutoCloseable {
    /** The wait for a reply that the server has already sent. */
    private static final Duration AT_ONCE = Duration.ofMillis(1);

    private final int port;
    private final int httpPort;
    private final Barrier barrier;
    private final Duration patience;
    private final ResponseCheck check;
    private final Map<String, PlayedConnection> wires = new TreeMap<>();

    /** What each connection to the HTTP port carries. */
    private final Map<String, Speech> speeches = new TreeMap<>();

    /** Placeholders of sessions by connection. */
    private final Map<String, String> sessions = new TreeMap<>();

    /** Lines that may arrive again, by connection. */
    private final Map<String, Text> repeatable = new TreeMap<>();

    private final Bindings bindings = new Bindings();
    private final StringBuilder unsent = new StringBuilder();
    private String sender = "";

    /** Waits until the server has sent the replies to all requests that can be answered. */
    interface Barrier {
        void await() throws IOException;
    }

    /**
     * @param patience the maximum wait for what a transcript shows
     * @param check of every HTTP response
     */
    Player(int port, int httpPort, Barrier barrier, Duration patience, ResponseCheck check) {
        this.port = port;
        this.httpPort = httpPort;
        this.barrier = barrier;
        this.patience = patience;
        this.check = check;
    }

    void play(Transcript transcript) throws IOException, InterruptedException {
        for (TranscriptStep step : transcript.steps()) {
            if (!isMoreOfTheWrite(step)) {
                flush();
            }
            play(step);
        }
        flush();
        expectNothingMore(transcript.name());
    }

    private boolean isMoreOfTheWrite(TranscriptStep step) {
        return switch (step) {
            case Send send -> send.connection().equals(sender);
            case RequestToSend request -> request.connection().equals(sender);
            default -> false;
        };
    }

    private void play(TranscriptStep step) throws IOException, InterruptedException {
        switch (step) {
            case Send send -> send(send);
            case RequestToSend request -> send(request);
            case ExpectedResponse answer -> expect(answer);
            case Http http -> speak(http);
            case Session session -> use(session);
            case ExpectedLine reply -> expect(reply);
            case Closed closed -> expectClosed(closed);
            case Nothing nothing -> expectNothing(nothing.at(), nothing.connection());
            case Open open -> open(open);
            case Hangup hangup -> hangUp(hangup);
            case ChunkSize chunk -> wire(chunk.connection()).chunk(chunk.bytes());
            case Pause pause -> Thread.sleep(pause.duration());
            case Until until -> await(until);
            case Fence fence -> compare(fence);
        }
    }

    private void send(Send send) throws IOException {
        sender = send.connection();
        unsent.append(send.text().fill(bindings));
        if (send.endsWrite()) {
            flush();
        }
    }

    private void send(RequestToSend request) throws IOException {
        sender = request.connection();
        Optional<String> session = Optional.ofNullable(sessions.get(sender)).map(bindings::value);
        unsent.append(HttpMessages.bytes(request, session, bindings));
        if (wire(sender) instanceof PlayedHttpConnection wire) {
            wire.asked(request.method(), request.target().fill(bindings));
        }
    }

    private void expect(ExpectedResponse answer) throws IOException {
        Received received = wire(answer.connection()).receive(patience);
        if (!(received instanceof Received.Message got && HttpMessages.matches(answer, got.response(), bindings))) {
            throw different(answer.at(), answer.connection(), answer.written(), received);
        }
    }

    private void speak(Http http) throws IOException {
        drop(http.connection());
        sessions.remove(http.connection());
        speeches.put(http.connection(), http.speech());
    }

    private void use(Session session) {
        session.placeholder()
                .ifPresentOrElse(
                        placeholder -> sessions.put(session.connection(), placeholder),
                        () -> sessions.remove(session.connection()));
    }

    private void flush() throws IOException {
        if (!unsent.isEmpty()) {
            wire(sender).send(unsent.toString());
            unsent.setLength(0);
        }
        sender = "";
    }

    private void expect(ExpectedLine reply) throws IOException {
        for (int i = 1; i <= reply.times(); i++) {
            Received received = receive(reply.connection());
            if (!(received instanceof Received.Line line && reply.text().matches(line.latin1(), bindings))) {
                String count = reply.times() == 1 ? "" : " (number " + i + " of " + reply.times() + ")";
                throw different(reply.at(), reply.connection(), reply.text().written() + count, received);
            }
        }
        if (reply.orMore()) {
            repeatable.put(reply.connection(), reply.text());
        }
    }

    /** Passes over further copies of a line that may arrive several times. */
    private Received receive(String connection) throws IOException {
        Text repeated = repeatable.remove(connection);
        Received received = wire(connection).receive(patience);
        while (repeated != null
                && received instanceof Received.Line line
                && repeated.matches(line.latin1(), bindings)) {
            received = wire(connection).receive(patience);
        }
        return received;
    }

    private void expectClosed(Closed closed) throws IOException {
        Received received = wire(closed.connection()).receive(patience);
        if (!received.equals(new Received.End(""))) {
            throw different(closed.at(), closed.connection(), "(closed)", received);
        }
        drop(closed.connection());
    }

    private void expectNothing(String at, String connection) throws IOException {
        PlayedConnection wire = wire(connection);
        barrier.await();
        Received received = wire.receive(AT_ONCE);
        if (!received.equals(new Received.Silence(""))) {
            throw different(at, connection, "(nothing)", received);
        }
    }

    private void open(Open open) throws IOException, InterruptedException {
        drop(open.connection());
        wires.put(
                open.connection(),
                open.served()
                        ? Probe.untilServed(() -> connect(open.connection()), patience)
                        : connect(open.connection()));
    }

    private PlayedConnection connect(String connection) throws IOException {
        Speech speech = speeches.get(connection);
        if (speech == null) {
            return new PlayedConnection(port);
        }
        return switch (speech) {
            case MESSAGES -> new PlayedHttpConnection(httpPort, check);
            case BYTES -> new PlayedConnection(httpPort);
        };
    }

    private void hangUp(Hangup hangup) throws IOException {
        wire(hangup.connection()).hangUp(hangup.manner());
        if (hangup.manner() != Manner.HALF_CLOSE) {
            drop(hangup.connection());
        }
    }

    private void await(Until until) throws IOException {
        try {
            Probe.untilSeen(port, until.key(), until.condition());
        } catch (AssertionError never) {
            throw new AssertionError(
                    until.at() + ": " + until.key() + " never had "
                            + until.condition().words(),
                    never);
        }
    }

    private void compare(Fence fence) {
        String lower = bindings.value(fence.lower()).substring(0, 16);
        String higher = bindings.value(fence.higher()).substring(0, 16);
        if (lower.compareTo(higher) >= 0) {
            throw new AssertionError(fence.at() + ": fence " + lower + " is not below " + higher);
        }
    }

    /** Replies that no step expected must not slip through at the end. */
    private void expectNothingMore(String name) throws IOException {
        barrier.await();
        for (String connection : wires.keySet()) {
            Received received = wire(connection).receive(AT_ONCE);
            if (!received.equals(new Received.Silence("")) && !received.equals(new Received.End(""))) {
                throw different("end of " + name, connection, "no more replies", received);
            }
        }
    }

    private PlayedConnection wire(String connection) throws IOException {
        PlayedConnection wire = wires.get(connection);
        if (wire == null) {
            wire = connect(connection);
            wires.put(connection, wire);
        }
        return wire;
    }

    private void drop(String connection) throws IOException {
        PlayedConnection wire = wires.remove(connection);
        if (wire != null) {
            wire.close();
        }
    }

    private AssertionError different(String at, String connection, String expected, Received received) {
        String got = switch (received) {
            case Received.Line line -> line.latin1();
            case Received.Message answer -> answer.response().toString();
            case Received.Garbage garbage -> garbage.why();
            case Received.End end -> end.rest() + "(closed)";
            case Received.Silence silence -> silence.rest() + "(nothing)";
        };
        return new AssertionError(
                at + ": " + connection + " expected: " + expected + "\n  got: " + got + "\n  known: " + bindings);
    }

    @Override
    public void close() throws IOException {
        for (PlayedConnection wire : wires.values()) {
            wire.close();
        }
    }
}
