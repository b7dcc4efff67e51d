package io.flockgate.cli.run;

import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.cli.shared.JsonAnswer;
import io.flockgate.cli.shared.RestClient;
import io.flockgate.cli.shared.RestClient.ServerReply;
import java.time.Duration;
import java.util.Optional;

/**
 * The queue of a key as the REST API reports it. A gateway without one, or a token without the
 * right to read, reports nothing. Blocks.
 */
final class KeyQueue {
    private static final int MAX_ENTRIES = 1000;

    private final RestClient client;
    private final String key;
    private final String clientName;

    KeyQueue(ConnectionOptions connection, String key, String clientName) {
        this.client = new RestClient(connection);
        this.key = key;
        this.clientName = clientName;
    }

    /**
     * @param since how long we have waited
     */
    Optional<QueueState> state(Duration since) {
        return document(MAX_ENTRIES).map(document -> QueueState.of(document, clientName, since));
    }

    /** How to set the limit of the key, unless it is this one; empty if it is not reported. */
    String rightLimit(long given) {
        return document(1)
                .map(document -> (long) document.number("limit"))
                .filter(limit -> limit > 0 && limit != given)
                .map(limit -> ": set --limit " + limit)
                .orElse("");
    }

    private Optional<JsonAnswer> document(int entries) {
        try {
            ServerReply reply = client.ask("GET", "/v1/keys/" + RestClient.encoded(key) + "?limit=" + entries);
            return reply.status() == 200 ? Optional.of(reply.answer()) : Optional.empty();
        } catch (CommandException e) {
            // The claim itself reports what is wrong.
            return Optional.empty();
        }
    }
}
