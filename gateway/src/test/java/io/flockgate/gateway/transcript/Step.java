package io.flockgate.gateway.transcript;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** One line of a transcript; {@code at} is the file and line it stands in. */
sealed interface Step {
    String at();

    /** Bytes to send. Sends of one connection that follow each other are one write, unless one ends it. */
    record Send(String at, String connection, Text text, boolean endsWrite) implements Step {}

    /** A reply that must come, so many times. */
    record Reply(String at, String connection, Text text, int times) implements Step {}

    /** The server must close the connection without sending anything more. */
    record Closed(String at, String connection) implements Step {}

    /** Nothing must come for a short while, and the connection must stay open. */
    record Nothing(String at, String connection) implements Step {}

    /** Connects; {@code served} tries again until the server answers a ping. */
    record Open(String at, String connection, boolean served) implements Step {}

    /** From now on the connection is one to the HTTP port, and speaks so. */
    record Http(String at, String connection, Speech speech) implements Step {}

    /** From now on the connection's requests name the session whose id this placeholder stands for; empty for none. */
    record Session(String at, String connection, Optional<String> placeholder) implements Step {}

    /** A request to send, like {@link Send}. */
    record Request(String at, String connection, String method, Text target, List<Text> headers, Optional<Text> body)
            implements Step {
        public Request {
            headers = List.copyOf(headers);
        }

        Request with(Text header) {
            return new Request(at, connection, method, target, append(headers, header), body);
        }
    }

    /**
     * A response that must come.
     *
     * @param headers those that the body does not imply
     * @param json the body without its line feed; when there is none and {@code anyBody} is false, no body must come
     */
    record Answer(String at, String connection, int status, List<Text> headers, Optional<Text> json, boolean anyBody)
            implements Step {
        public Answer {
            headers = List.copyOf(headers);
        }

        Answer with(Text header) {
            return new Answer(at, connection, status, append(headers, header), json, anyBody);
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

    /** What a connection to the HTTP port sends and receives: requests and responses, or bytes like any other. */
    enum Speech {
        MESSAGES,
        BYTES
    }

    /** Ends a connection from the client's side. */
    record Hangup(String at, String connection, Manner manner) implements Step {}

    /** From now on the connection sends so many bytes a write. */
    record Chunk(String at, String connection, int bytes) implements Step {}

    record Pause(String at, Duration duration) implements Step {}

    /** Waits until the server's stats show a key in this state. */
    record Until(String at, String key, KeyLook look) implements Step {}

    /** The first token must have a lower fence than the second. */
    record Fence(String at, String lower, String higher) implements Step {}

    /** How a client ends a connection. */
    enum Manner {
        CLOSE,
        HALF_CLOSE,
        RESET
    }
}
