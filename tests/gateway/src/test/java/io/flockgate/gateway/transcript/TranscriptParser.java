package io.flockgate.gateway.transcript;

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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads one transcript. Every line is understood or refused, so that a typing error cannot weaken a
 * test.
 */
final class TranscriptParser {
    private static final Pattern SERVER = Pattern.compile("server: (--\\S+(?: --\\S+)*)");
    private static final Pattern TRAFFIC = Pattern.compile("([A-Z][0-9]?)(>>|>|<)([1-9][0-9]{0,4}|\\+)?(?: (.+))?");
    private static final Pattern ACTION = Pattern.compile(
            "([A-Z][0-9]?): (open|open until served|close|half-close|reset|write ([1-9][0-9]?) bytes? at a time"
                    + "|http|raw http|session <(ses[A-Z]?[0-9]*)>|no session)");
    private static final Pattern SESSION = Pattern.compile("([A-Z][0-9]?): session");
    private static final Pattern PAUSE = Pattern.compile("pause ([0-9]+(?:\\.[0-9])?)s");
    private static final Pattern UNTIL = Pattern.compile("until ([a-z]+): (?:waiters ([0-9]+)|(idle)|(gone))");
    private static final Pattern FENCE = Pattern.compile("fence <(tok[0-9]*)> < <(tok[0-9]*)>");

    private final String name;
    private final String file;
    private final int firstLine;
    private final List<String> flags = new ArrayList<>();
    private final List<TranscriptStep> steps = new ArrayList<>();
    private final Set<String> received = new TreeSet<>();

    /** Connections that speak HTTP in requests and responses. */
    private final Set<String> http = new TreeSet<>();

    private TranscriptParser(String name, String file, int firstLine) {
        this.name = name;
        this.file = file;
        this.firstLine = firstLine;
    }

    /** Throws {@link IllegalArgumentException} naming file and line. */
    static Transcript parse(String name, String file, int firstLine, List<String> lines) {
        return new TranscriptParser(name, file, firstLine).parse(lines);
    }

    private Transcript parse(List<String> lines) {
        for (int i = 0; i < lines.size(); i++) {
            String at = file + ":" + (firstLine + i);
            try {
                line(at, lines.get(i));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(at + ": " + e.getMessage() + ": " + lines.get(i), e);
            }
        }
        if (steps.stream().noneMatch(TranscriptParser::expectsSomething)) {
            throw new IllegalArgumentException(file + ":" + firstLine + ": " + name + " expects nothing");
        }
        return new Transcript(name, flags, steps, steps.stream().anyMatch(step -> step instanceof Http));
    }

    private static boolean expectsSomething(TranscriptStep step) {
        return step instanceof ExpectedLine || step instanceof ExpectedResponse || step instanceof Closed;
    }

    private void line(String at, String line) {
        if (line.isEmpty() || line.startsWith("#")) {
            return;
        }
        Matcher server = SERVER.matcher(line);
        if (server.matches() && steps.isEmpty() && flags.isEmpty()) {
            flags.addAll(List.of(server.group(1).replace("<here>", directory()).split(" ", -1)));
            return;
        }
        Matcher traffic = TRAFFIC.matcher(line);
        if (traffic.matches() && traffic.group(4) != null && isHeaderOfTheLastStep(traffic)) {
            steps.add(withHeader(steps.removeLast(), text(traffic)));
            return;
        }
        Matcher session = SESSION.matcher(line);
        if (session.matches()) {
            newSession(at, session.group(1));
            return;
        }
        steps.add(step(at, line));
    }

    private boolean isHeaderOfTheLastStep(Matcher traffic) {
        if (steps.isEmpty() || traffic.group(3) != null || !HttpLines.isHeader(traffic.group(4))) {
            return false;
        }
        String connection = traffic.group(1);
        return switch (steps.getLast()) {
            case RequestToSend request ->
                request.connection().equals(connection) && traffic.group(2).equals(">");
            case ExpectedResponse answer ->
                answer.connection().equals(connection) && traffic.group(2).equals("<");
            default -> false;
        };
    }

    private static TranscriptStep withHeader(TranscriptStep step, Text header) {
        return step instanceof RequestToSend request ? request.with(header) : ((ExpectedResponse) step).with(header);
    }

    /**
     * The text of a line. Its placeholders must be known if it is sent, and become known if it is
     * received.
     */
    private Text text(Matcher traffic) {
        Text text = TextParser.parse(traffic.group(4) == null ? "" : traffic.group(4));
        if (traffic.group(2).equals("<")) {
            received.addAll(text.names());
        } else {
            text.names().forEach(this::requireReceived);
        }
        return text;
    }

    private void newSession(String at, String connection) {
        String placeholder = "ses" + connection;
        if (http.add(connection)) {
            steps.add(new Http(at, connection, Speech.MESSAGES));
        }
        steps.add(HttpLines.request(at, connection, "POST /v1/sessions"));
        steps.add(HttpLines.answer(
                at,
                connection,
                "200 {\"session_id\":\"<" + placeholder + ">\",\"idle_timeout_s\":<num 0..9223372036>}"));
        steps.add(new Session(at, connection, Optional.of(placeholder)));
        received.add(placeholder);
    }

    private TranscriptStep step(String at, String line) {
        Matcher traffic = TRAFFIC.matcher(line);
        if (traffic.matches()) {
            return traffic.group(2).equals("<") ? reply(at, traffic) : send(at, traffic);
        }
        Matcher action = ACTION.matcher(line);
        if (action.matches()) {
            return action(at, action);
        }
        Matcher pause = PAUSE.matcher(line);
        if (pause.matches()) {
            return new Pause(at, Duration.ofMillis(Math.round(Double.parseDouble(pause.group(1)) * 1000)));
        }
        Matcher until = UNTIL.matcher(line);
        if (until.matches()) {
            return new Until(at, until.group(1), condition(until));
        }
        Matcher fence = FENCE.matcher(line);
        if (fence.matches()) {
            requireReceived(fence.group(1));
            requireReceived(fence.group(2));
            return new Fence(at, fence.group(1), fence.group(2));
        }
        throw new IllegalArgumentException("not a line of a transcript");
    }

    private TranscriptStep send(String at, Matcher traffic) {
        if (traffic.group(3) != null) {
            throw new IllegalArgumentException("a number of times belongs to a reply");
        }
        if (http.contains(traffic.group(1)) && traffic.group(2).equals(">")) {
            Text text = text(traffic);
            return HttpLines.request(at, traffic.group(1), text.written());
        }
        boolean endsWrite = traffic.group(2).equals(">>");
        Text text = text(traffic);
        if (!endsWrite) {
            List<Text.Fragment> withLineFeed = new ArrayList<>(text.parts());
            withLineFeed.add(new Text.Bytes("\n"));
            text = new Text(text.written(), withLineFeed);
        }
        return new Send(at, traffic.group(1), text, endsWrite);
    }

    private TranscriptStep reply(String at, Matcher traffic) {
        String written = traffic.group(4) == null ? "" : traffic.group(4);
        if (traffic.group(3) == null && written.equals("(closed)")) {
            return new Closed(at, traffic.group(1));
        }
        if (traffic.group(3) == null && written.equals("(nothing)")) {
            return new Nothing(at, traffic.group(1));
        }
        if (written.equals("(empty line)")) {
            requireBytes(traffic.group(1));
            return new ExpectedLine(at, traffic.group(1), TextParser.parse(""), 1, false);
        }
        if (written.isEmpty() || written.startsWith("(")) {
            throw new IllegalArgumentException("no server answers that");
        }
        Text text = text(traffic);
        if (http.contains(traffic.group(1))) {
            if (traffic.group(3) != null) {
                throw new IllegalArgumentException("responses are written one by one");
            }
            return HttpLines.answer(at, traffic.group(1), written);
        }
        boolean orMore = "+".equals(traffic.group(3));
        int times = traffic.group(3) == null || orMore ? 1 : Integer.parseInt(traffic.group(3));
        return new ExpectedLine(at, traffic.group(1), text, times, orMore);
    }

    private TranscriptStep action(String at, Matcher action) {
        String connection = action.group(1);
        String session = action.group(4);
        if (session != null) {
            requireReceived(session);
            requireHttp(connection);
            return new Session(at, connection, Optional.of(session));
        }
        return switch (action.group(2)) {
            case "no session" -> {
                requireHttp(connection);
                yield new Session(at, connection, Optional.empty());
            }
            case "http" -> {
                http.add(connection);
                yield new Http(at, connection, Speech.MESSAGES);
            }
            case "raw http" -> {
                http.remove(connection);
                yield new Http(at, connection, Speech.BYTES);
            }
            case "open" -> new Open(at, connection, false);
            case "open until served" -> new Open(at, connection, true);
            case "close" -> new Hangup(at, connection, Manner.CLOSE);
            case "half-close" -> new Hangup(at, connection, Manner.HALF_CLOSE);
            case "reset" -> new Hangup(at, connection, Manner.RESET);
            default -> new ChunkSize(at, connection, Integer.parseInt(action.group(3)));
        };
    }

    private static KeyCondition condition(Matcher until) {
        if (until.group(2) != null) {
            return KeyCondition.waiters(Integer.parseInt(until.group(2)));
        }
        return until.group(3) == null ? KeyCondition.gone() : KeyCondition.idle();
    }

    /** The directory of the transcripts, for files that servers read. */
    private static String directory() {
        return TranscriptFiles.docs().resolve("transcripts").toString();
    }

    private void requireBytes(String connection) {
        if (http.contains(connection)) {
            throw new IllegalArgumentException(connection + " receives responses, not lines");
        }
    }

    private void requireHttp(String connection) {
        if (!http.contains(connection)) {
            throw new IllegalArgumentException(connection + " does not speak HTTP");
        }
    }

    private void requireReceived(String placeholder) {
        if (!received.contains(placeholder)) {
            throw new IllegalArgumentException("<" + placeholder + "> has not been received yet");
        }
    }
}
