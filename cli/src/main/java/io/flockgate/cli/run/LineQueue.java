package io.flockgate.cli.run;

import io.flockgate.cli.shared.Answer;
import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.cli.shared.LineServer;
import io.flockgate.cli.shared.Servers;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The queue of a key as the statistics of the line protocol report it: only the number of waiters,
 * and neither our place nor the holder. They report no limit of a free key, so the gateway's REST
 * API is asked for it.
 */
final class LineQueue implements QueueSource {
    private final ConnectionOptions connection;
    private final LineServer server;
    private final String key;

    LineQueue(ConnectionOptions connection, Servers.Line servers, String key) {
        this.connection = connection;
        this.server = new LineServer(connection, servers);
        this.key = key;
    }

    @Override
    public Optional<QueueState> state(Duration since) {
        return stats().flatMap(stats -> in(stats, key));
    }

    @Override
    public OptionalLong limit() {
        Answer stats = stats().orElse(Answer.EMPTY);
        if (entry(stats, "locks", key).isPresent()) {
            return OptionalLong.of(1);
        }
        return entry(stats, "semaphores", key)
                .map(semaphore -> OptionalLong.of(Math.max(1, (long) semaphore.number("limit"))))
                .orElseGet(this::limitOfFreeKey);
    }

    private OptionalLong limitOfFreeKey() {
        try {
            return server.restIfAny()
                    .map(rest -> new RestQueue(connection, rest, key, "").limit())
                    .orElseGet(OptionalLong::empty);
        } catch (CommandException e) {
            return OptionalLong.empty();
        }
    }

    private Optional<Answer> stats() {
        try {
            return Optional.of(server.stats());
        } catch (CommandException e) {
            // The line then shows only the time. The claim itself reports what is wrong.
            return Optional.empty();
        }
    }

    /** The queue of a key in statistics. */
    static Optional<QueueState> in(Answer stats, String key) {
        return entry(stats, "locks", key)
                .or(() -> entry(stats, "semaphores", key))
                .map(entry -> QueueState.ofWaiters((long) entry.number("waiters")));
    }

    private static Optional<Answer> entry(Answer stats, String kind, String key) {
        return stats.objects(kind).stream()
                .filter(entry -> key.equals(entry.text("key")))
                .findFirst();
    }
}
