package io.flockgate.gateway.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/** Answers of a real server, each checked against the OpenAPI document. */
abstract class AnswerChecks {
    static final List<String> KINDS = List.of("Lock", "Sem");

    final ApiDocument document;

    /** Each operation and answer that was seen; all checks share it. */
    final Set<String> seen;

    AnswerChecks(ApiDocument document, Set<String> seen) {
        this.document = document;
        this.seen = seen;
    }

    @CanIgnoreReturnValue
    final Response expect(String operation, String answer, Response response) throws IOException {
        String found = document.expect(operation, response);
        assertThat(found).as("%s: %s", operation, response).isEqualTo(answer);
        seen.add(operation + " " + found);
        return response;
    }

    /** The path of an operation, with {@code free} in place of its parameters. */
    final String path(String operation, String free) {
        return document.operation(operation).path().replaceAll("\\{[a-z]+}", free);
    }

    /** Sends a request with the least that its body must contain. */
    final Response on(SessionClient client, String operation, String key) throws IOException {
        return client.post(path(operation, key), "{" + needed(operation) + "}");
    }

    private static String needed(String operation) {
        return switch (operation) {
            case "releaseLock", "releaseSem", "renewLock", "renewSem" -> "\"token\":\"x\"";
            case "acquireSem", "enqueueSem" -> "\"limit\":1";
            default -> "";
        };
    }

    static String with(String token) {
        return "{\"token\":\"" + token + "\"}";
    }
}
