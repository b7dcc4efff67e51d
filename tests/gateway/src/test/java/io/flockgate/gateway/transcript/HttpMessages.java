package io.flockgate.gateway.transcript;

import io.flockgate.gateway.server.http.Response;
import io.flockgate.gateway.transcript.TranscriptStep.ExpectedResponse;
import io.flockgate.gateway.transcript.TranscriptStep.RequestToSend;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The bytes of a request, and whether a response is the one that was expected. */
final class HttpMessages {
    /** Known to be correct, because the reader has read the body by it. */
    private static final String LENGTH = "Content-Length: ";

    private static final String DATE = "Date: ";

    private static final Text ANY_DATE = TextParser.parse("Date: <date>");

    private HttpMessages() {}

    /**
     * The request as it is sent.
     *
     * @param session the session's id, if it has one
     */
    static String bytes(RequestToSend request, Optional<String> session, Bindings bindings) {
        StringBuilder bytes = new StringBuilder();
        bytes.append(request.method()).append(' ').append(request.target().fill(bindings));
        bytes.append(" HTTP/1.1\r\nHost: localhost\r\n");
        session.ifPresent(id -> bytes.append("X-Dflockd-Session: ").append(id).append("\r\n"));
        boolean framed = false;
        for (Text header : request.headers()) {
            framed |= header.written().startsWith(LENGTH) || header.written().startsWith("Transfer-Encoding: ");
            bytes.append(header.fill(bindings)).append("\r\n");
        }
        String body = request.body().map(text -> text.fill(bindings)).orElse("");
        if (!framed && (!body.isEmpty() || request.method().equals("POST"))) {
            bytes.append(LENGTH).append(body.length()).append("\r\n");
        }
        return bytes.append("\r\n").append(body).toString();
    }

    /** Whether this is the response; learns the values that were not known before. */
    static boolean matches(ExpectedResponse answer, Response response, Bindings bindings) {
        Bindings learnt = new Bindings(bindings);
        boolean right = response.version().equals("HTTP/1.1")
                && response.status() == answer.status()
                && bodyMatches(answer, response.body(), learnt)
                && headersMatch(answer, response, learnt);
        if (right) {
            bindings.learn(learnt);
        }
        return right;
    }

    private static boolean bodyMatches(ExpectedResponse answer, String body, Bindings bindings) {
        if (answer.anyBody()) {
            return true;
        }
        if (answer.json().isEmpty()) {
            return body.isEmpty();
        }
        int end = body.length() - 1;
        return body.indexOf('\n') == end && answer.json().get().matches(body.substring(0, end), bindings);
    }

    /** The three headers of a JSON body come first and in this order, the others in any order. */
    private static boolean headersMatch(ExpectedResponse answer, Response response, Bindings bindings) {
        List<String> left = new ArrayList<>(response.headers());
        List<String> dates =
                left.stream().filter(header -> header.startsWith(DATE)).toList();
        if (dates.size() > 1 || dates.stream().anyMatch(date -> !ANY_DATE.matches(date, bindings))) {
            return false;
        }
        left.removeAll(dates);
        if (answer.json().isPresent()) {
            List<String> implied = List.of(
                    "Content-Type: application/json",
                    "X-Content-Type-Options: nosniff",
                    LENGTH + response.body().length());
            if (left.size() < 3 || !left.subList(0, 3).equals(implied)) {
                return false;
            }
            left.removeAll(implied);
        }
        if (answer.anyBody()) {
            left.removeIf(header -> header.startsWith(LENGTH));
        }
        return takeAll(answer.headers(), left, bindings) && left.isEmpty();
    }

    private static boolean takeAll(List<Text> expected, List<String> left, Bindings bindings) {
        for (Text header : expected) {
            Optional<String> found = left.stream()
                    .filter(candidate -> header.matches(candidate, bindings))
                    .findFirst();
            if (found.isEmpty()) {
                return false;
            }
            left.remove(found.get());
        }
        return true;
    }
}
