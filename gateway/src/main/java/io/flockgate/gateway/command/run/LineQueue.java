package io.flockgate.gateway.command.run;

import io.flockgate.gateway.command.shared.CommandException;
import io.flockgate.gateway.command.shared.ConnectionOptions;
import io.flockgate.gateway.command.shared.LineServer;
import io.flockgate.gateway.command.shared.Servers;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/** The queue of a key as the statistics of the line protocol tell it: how many wait. They tell neither our place nor the holder. */
final class LineQueue implements QueueSource {
    private final LineServer server;
    private final String key;

    LineQueue(ConnectionOptions connection, Servers.Line servers, String key) {
        this.server = new LineServer(connection, servers);
        this.key = key;
    }

    @Override
    public Optional<QueueState> state(Duration since) {
        try {
            return in(server.stats(), key);
        } catch (CommandException e) {
            // The line then shows the time alone. The claim itself tells what is wrong.
            return Optional.empty();
        }
    }

    /** The queue of a key in statistics. */
    static Optional<QueueState> in(JsonObject stats, String key) {
        return Stream.of("locks", "semaphores")
                .map(kind -> stats.getJsonArray(kind, new JsonArray()))
                .flatMap(JsonArray::stream)
                .filter(each -> each instanceof JsonObject entry && key.equals(entry.getString("key")))
                .map(each -> QueueState.ofWaiters(((JsonObject) each).getLong("waiters", 0L)))
                .findFirst();
    }
}
