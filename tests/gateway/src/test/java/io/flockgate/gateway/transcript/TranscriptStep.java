package io.flockgate.gateway.transcript;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** One line of a transcript; {@code at} is its file and line. */
sealed interface TranscriptStep {
    String at();

    /** Bytes to send. Consecutive sends of one connection are one write, unless one ends it. */
    record Send(String at, String connection, Text text, boolean endsWrite) implements TranscriptStep {}

    /** A reply that must arrive this number of times, or at least so many times. */
    record ExpectedLine(String at, String connection, Text text, int times, boolean orMore) implements TranscriptStep {}

    /** The server must close the connection without sending anything more. */
    record Closed(String at, String connection) implements TranscriptStep {}

    /** Nothing must arrive for a short while, and the connection must stay open. */
    record Nothing(String at, String connection) implements TranscriptStep {}

    /** Connects; {@code served} tries again until the server answers a ping. */
    record Open(String at, String connection, boolean served) implements TranscriptStep {}

    /** From now on the connection is one to the HTTP port, with this content. */
    record Http(String at, String connection, Speech speech) implements TranscriptStep {}

    /**
     * From now on the connection's requests name the session whose id this placeholder stands for;
     * empty for none.
     */
    record Session(String at, String connection, Optional<String> placeholder) implements TranscriptStep {}

    /** A request to send, like {@link Send}. */
    record RequestToSend(
            String at, String connection, String method, Text target, List<Text> headers, Optional<Text> body)
            implements TranscriptStep {
        public RequestToSend {
            headers = List.copyOf(headers);
        }

        RequestToSend with(Text header) {
            return new RequestToSend(at, connection, method, target, append(headers, header), body);
        }
    }

    /**
     * A response that must arrive.
     *
     * @param headers those that the body does not imply
     * @param json the body without its line feed; if there is none and {@code anyBody} is false, no
     *     body must arrive
     */
    record ExpectedResponse(
            String at, String connection, int status, List<Text> headers, Optional<Text> json, boolean anyBody)
            implements TranscriptStep {
        public ExpectedResponse {
            headers = List.copyOf(headers);
        }

        ExpectedResponse with(Text header) {
            return new ExpectedResponse(at, connection, status, append(headers, header), json, anyBody);
        }

        String written() {
            String first = status + json.map(text -> " " + text.written()).orElse(anyBody ? " (any body)" : "");
            return first
                    + String.join(
                            "",
                            headers.stream()
                                    .map(text -> "\n    " + text.written())
                                    .toList());
        }
    }

    private static <T> List<T> append(List<T> list, T last) {
        return Stream.concat(list.stream(), Stream.of(last)).toList();
    }

    /** The content of a connection to the HTTP port: requests and responses, or any bytes. */
    enum Speech {
        MESSAGES,
        BYTES
    }

    /** Ends a connection from the client's side. */
    record Hangup(String at, String connection, Manner manner) implements TranscriptStep {}

    /** From now on the connection sends this number of bytes per write. */
    record ChunkSize(String at, String connection, int bytes) implements TranscriptStep {}

    record Pause(String at, Duration duration) implements TranscriptStep {}

    /** Waits until the server's stats show a key in this state. */
    record Until(String at, String key, KeyCondition condition) implements TranscriptStep {}

    /** The first token must have a lower fence than the second. */
    record Fence(String at, String lower, String higher) implements TranscriptStep {}

    /** The way in which a client ends a connection. */
    enum Manner {
        CLOSE,
        HALF_CLOSE,
        RESET
    }
}
