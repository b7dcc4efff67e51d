package io.flockgate.cli.run;

import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.cli.shared.Servers;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** A server that reports the state of a key's queue. Blocks. */
interface QueueSource {
    /**
     * The state that the server reports; empty if it knows no such queue, or does not answer.
     *
     * @param since how long we have waited
     */
    Optional<QueueState> state(Duration since);

    /** The limit of the key; empty if the server does not report it. */
    OptionalLong limit();

    /** Asks these servers. */
    static QueueSource of(ConnectionOptions connection, String key, String clientName) {
        return switch (connection.servers()) {
            case Servers.Line line -> new LineQueue(connection, line, key);
            case Servers.Rest rest -> new RestQueue(connection, rest, key, clientName);
        };
    }
}
