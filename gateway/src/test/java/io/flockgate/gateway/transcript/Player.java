package io.flockgate.gateway.transcript;

import io.flockgate.gateway.transcript.Step.Answer;
import io.flockgate.gateway.transcript.Step.Chunk;
import io.flockgate.gateway.transcript.Step.Closed;
import io.flockgate.gateway.transcript.Step.Fence;
import io.flockgate.gateway.transcript.Step.Hangup;
import io.flockgate.gateway.transcript.Step.Http;
import io.flockgate.gateway.transcript.Step.Manner;
import io.flockgate.gateway.transcript.Step.Nothing;
import io.flockgate.gateway.transcript.Step.Open;
import io.flockgate.gateway.transcript.Step.Pause;
import io.flockgate.gateway.transcript.Step.Reply;
import io.flockgate.gateway.transcript.Step.Request;
import io.flockgate.gateway.transcript.Step.Send;
import io.flockgate.gateway.transcript.Step.Session;
import io.flockgate.gateway.transcript.Step.Speech;
import io.flockgate.gateway.transcript.Step.Until;
import io.flockgate.gateway.transcript.Wire.Received;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Plays one transcript against a server; the first difference is an {@link AssertionError}. */
final class Player implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** How long "nothing comes" is watched. */
    private static final Duration QUIET = Duration.ofMillis(150);

    private final int port;
    private final int httpPort;
    private final Map<String, Wire> wires = new TreeMap<>();

    /** Of the connections to the HTTP port. */
    private final Map<String, Speech> speeches = new TreeMap<>();

    /** Placeholders of sessions by connection. */
    private final Map<String, String> sessions = new TreeMap<>();

    private final Bindings bindings = new Bindings();
    private final StringBuilder unsent = new StringBuilder();
    private String sender = "";

    Player(int port, int httpPort) {
        this.port = port;
        this.httpPort = httpPort;
    }

    void play(Transcript transcript) throws IOException, InterruptedException {
        for (Step step : transcript.steps()) {
            if (!isMoreOfTheWrite(step)) {
                flush();
            }
            play(step);
        }
        flush();
        expectNothingMore(transcript.name());
    }

    private boolean isMoreOfTheWrite(Step step) {
        return switch (step) {
            case Send send -> send.connection().equals(sender);
            case Request request -> request.connection().equals(sender);
            default -> false;
        };
    }

    private void play(Step step) throws IOException, InterruptedException {
        switch (step) {
            case Send send -> send(send);
            case Request request -> send(request);
            case Answer answer -> expect(answer);
            case Http http -> speak(http);
            case Session session -> use(session);
            case Reply reply -> expect(reply);
            case Closed closed -> expectClosed(closed);
            case Nothing nothing -> expectNothing(nothing.at(), nothing.connection());
            case Open open -> open(open);
            case Hangup hangup -> hangUp(hangup);
            case Chunk chunk -> wire(chunk.connection()).chunk(chunk.bytes());
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

    private void send(Request request) throws IOException {
        sender = request.connection();
        Optional<String> session = Optional.ofNullable(sessions.get(sender)).map(bindings::value);
        unsent.append(HttpMessages.bytes(request, session, bindings));
        if (wire(sender) instanceof HttpWire wire) {
            wire.asked(request.method());
        }
    }

    private void expect(Answer answer) throws IOException {
        Received received = wire(answer.connection()).receive(PATIENCE);
        if (!(received instanceof Received.Answer got && HttpMessages.matches(answer, got.response(), bindings))) {
            throw different(answer, answer.connection(), answer.written(), received);
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

    private void expect(Reply reply) throws IOException {
        for (int i = 1; i <= reply.times(); i++) {
            Received received = wire(reply.connection()).receive(PATIENCE);
            if (!(received instanceof Received.Line line && reply.text().matches(line.latin1(), bindings))) {
                String count = reply.times() == 1 ? "" : " (number " + i + " of " + reply.times() + ")";
                throw different(reply, reply.connection(), reply.text().written() + count, received);
            }
        }
    }

    private void expectClosed(Closed closed) throws IOException {
        Received received = wire(closed.connection()).receive(PATIENCE);
        if (!received.equals(new Received.End(""))) {
            throw different(closed, closed.connection(), "(closed)", received);
        }
        drop(closed.connection());
    }

    private void expectNothing(String at, String connection) throws IOException {
        Received received = wire(connection).receive(QUIET);
        if (!received.equals(new Received.Silence(""))) {
            throw different(at, connection, "(nothing)", received);
        }
    }

    private void open(Open open) throws IOException, InterruptedException {
        drop(open.connection());
        wires.put(open.connection(), open.served() ? untilServed(open.connection()) : connect(open.connection()));
    }

    private Wire untilServed(String connection) throws IOException, InterruptedException {
        return speeches.containsKey(connection)
                ? Probe.untilServedOverHttp(() -> connect(connection), PATIENCE)
                : Probe.untilServed(port, PATIENCE);
    }

    private Wire connect(String connection) throws IOException {
        Speech speech = speeches.get(connection);
        if (speech == null) {
            return new Wire(port);
        }
        return switch (speech) {
            case MESSAGES -> new HttpWire(httpPort);
            case BYTES -> new Wire(httpPort);
        };
    }

    private void hangUp(Hangup hangup) throws IOException {
        wire(hangup.connection()).hangUp(hangup.manner());
        if (hangup.manner() != Manner.HALF_CLOSE) {
            drop(hangup.connection());
        }
    }

    private void await(Until until) throws IOException, InterruptedException {
        String last = Probe.untilSeen(port, until.key(), until.look(), PATIENCE);
        if (!until.look().isSeenIn(last, until.key())) {
            throw new AssertionError(until.at() + ": " + until.key() + " never had "
                    + until.look().words() + "; last stats: " + last);
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
        for (String connection : wires.keySet()) {
            Received received = wire(connection).receive(Duration.ofMillis(40));
            if (!received.equals(new Received.Silence("")) && !received.equals(new Received.End(""))) {
                throw different("end of " + name, connection, "no more replies", received);
            }
        }
    }

    private Wire wire(String connection) throws IOException {
        Wire wire = wires.get(connection);
        if (wire == null) {
            wire = connect(connection);
            wires.put(connection, wire);
        }
        return wire;
    }

    private void drop(String connection) throws IOException {
        Wire wire = wires.remove(connection);
        if (wire != null) {
            wire.close();
        }
    }

    private AssertionError different(Step step, String connection, String expected, Received received) {
        return different(step.at(), connection, expected, received);
    }

    private AssertionError different(String at, String connection, String expected, Received received) {
        String got = switch (received) {
            case Received.Line line -> line.latin1();
            case Received.Answer answer -> answer.response().toString();
            case Received.Garbage garbage -> garbage.why();
            case Received.End end -> end.rest() + "(closed)";
            case Received.Silence silence -> silence.rest() + "(nothing)";
        };
        return new AssertionError(
                at + ": " + connection + " expected: " + expected + "\n  got: " + got + "\n  known: " + bindings);
    }

    @Override
    public void close() throws IOException {
        for (Wire wire : wires.values()) {
            wire.close();
        }
    }
}
