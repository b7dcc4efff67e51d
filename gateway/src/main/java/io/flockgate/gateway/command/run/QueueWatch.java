package io.flockgate.gateway.command.run;

import io.flockgate.gateway.command.shared.CommandException;
import io.flockgate.gateway.command.shared.ConnectionOptions;
import io.flockgate.gateway.command.shared.LineServer;
import io.flockgate.gateway.command.shared.Servers;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Shows how a wait goes. The statistics of the line protocol tell how many wait; they do not tell our place in the queue, or who holds the key.
 * It asks on a thread of its own, because a server may be slow.
 */
final class QueueWatch implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofSeconds(2);

    private final Notices notices;
    private final String key;
    private final LineServer client;
    private final long start = System.nanoTime();
    private final @Nullable Thread thread;
    private volatile Optional<QueueState> state = Optional.empty();

    private QueueWatch(Notices notices, String key, LineServer client) {
        this.notices = notices;
        this.key = key;
        this.client = client;
        this.thread = notices.wantsWaits()
                ? Thread.ofPlatform().daemon().name("flockgate-queue").start(this::ask)
                : null;
    }

    /** Begins to ask, if somebody wants to know. */
    static QueueWatch start(Notices notices, String key, ConnectionOptions connection, Servers.Line servers) {
        return new QueueWatch(notices, key, new LineServer(connection, servers));
    }

    private void ask() {
        try {
            while (true) {
                state = known();
                Thread.sleep(INTERVAL);
            }
        } catch (InterruptedException e) {
            // The wait is over.
        }
    }

    private Optional<QueueState> known() {
        try {
            return in(client.stats(), key);
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
                .map(each -> ((JsonObject) each).getLong("waiters", 0L))
                .map(waiters -> new QueueState(OptionalLong.empty(), waiters, Optional.empty(), Optional.empty()))
                .findFirst();
    }

    /** Tells what is known now. */
    void show() {
        notices.waiting(state, Duration.ofNanos(System.nanoTime() - start));
    }

    @Override
    public void close() {
        if (thread != null) {
            thread.interrupt();
        }
    }
}
