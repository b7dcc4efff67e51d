package io.flockgate.gateway.transcript;

import io.flockgate.gateway.transcript.TranscriptStep.ExpectedResponse;
import io.flockgate.gateway.transcript.TranscriptStep.RequestToSend;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads what connections that speak HTTP send and receive. */
final class HttpLines {
    private static final Pattern REQUEST =
            Pattern.compile("(?<method>[A-Z]{2,20}) (?<target>/(?:\\{\"[^\"]*\" \\* [0-9]+}|\\S)*)(?: (?<body>.+))?");
    private static final Pattern ANSWER =
            Pattern.compile("(?<status>[1-5][0-9]{2})(?: (?:(?<any>\\(any body\\))|(?<json>\\{.*)))?");
    private static final Pattern HEADER = Pattern.compile("[A-Za-z][-A-Za-z0-9]*:(?: .*)?");

    private HttpLines() {}

    static boolean isHeader(String written) {
        return HEADER.matcher(written).matches();
    }

    static RequestToSend request(String at, String connection, String written) {
        Matcher request = REQUEST.matcher(written);
        if (!request.matches()) {
            throw new IllegalArgumentException("not a request: METHOD /path body");
        }
        return new RequestToSend(
                at,
                connection,
                request.group("method"),
                TextParser.parse(request.group("target")),
                List.of(),
                Optional.ofNullable(request.group("body")).map(TextParser::parse));
    }

    static ExpectedResponse answer(String at, String connection, String written) {
        Matcher answer = ANSWER.matcher(written);
        if (!answer.matches()) {
            throw new IllegalArgumentException("not a response: status, then JSON, (any body) or nothing");
        }
        return new ExpectedResponse(
                at,
                connection,
                Integer.parseInt(answer.group("status")),
                List.of(),
                Optional.ofNullable(answer.group("json")).map(TextParser::parse),
                answer.group("any") != null);
    }
}
