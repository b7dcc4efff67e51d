package io.flockgate.gateway.command.run;

import io.flockgate.gateway.command.shared.ConnectionOptions;
import io.flockgate.gateway.command.shared.Servers;
import java.time.Duration;
import java.util.Optional;

/** A server that tells how the queue of a key stands. Blocks. */
interface QueueSource {
    /**
     * What the server tells; empty if it knows no such queue, or does not answer.
     *
     * @param since the time for which we have waited
     */
    Optional<QueueState> state(Duration since);

    /** Asks these servers. */
    static QueueSource of(ConnectionOptions connection, String key, String clientName) {
        return switch (connection.servers()) {
            case Servers.Line line -> new LineQueue(connection, line, key);
            case Servers.Rest rest -> new RestQueue(connection, rest, key, clientName);
        };
    }
}
