package io.flockgate.cli.run;

import io.flockgate.cli.shared.Answer;
import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.cli.shared.RestClient;
import io.flockgate.cli.shared.RestClient.ServerReply;
import io.flockgate.cli.shared.Servers;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** The queue of a key as the REST API shows it, with our place and the oldest holder. */
final class RestQueue implements QueueSource {
    private static final int MOST = 1000;

    private final ConnectionOptions connection;
    private final Servers.Rest servers;
    private final String key;
    private final String clientName;

    RestQueue(ConnectionOptions connection, Servers.Rest servers, String key, String clientName) {
        this.connection = connection;
        this.servers = servers;
        this.key = key;
        this.clientName = clientName;
    }

    @Override
    public Optional<QueueState> state(Duration since) {
        return document(MOST).map(document -> in(document, clientName, since));
    }

    @Override
    public OptionalLong limit() {
        return document(1)
                .map(document -> OptionalLong.of((long) document.number("limit")))
                .orElseGet(OptionalLong::empty);
    }

    private Optional<Answer> document(int entries) {
        try (RestClient client = RestClient.of(connection, servers)) {
            ServerReply reply = client.ask("GET", "/v1/keys/" + RestClient.encoded(key) + "?limit=" + entries);
            return reply.status() == 200 ? Optional.of(reply.answer()) : Optional.empty();
        } catch (CommandException e) {
            // The line then shows only the time. The claim itself reports what is wrong.
            return Optional.empty();
        }
    }

    /**
     * The queue in the document of a key. Of several waiters with our name, ours is the one whose
     * waiting time matches our own.
     */
    static QueueState in(Answer document, String clientName, Duration since) {
        double waited = since.toNanos() / 1e9;
        OptionalLong position = document.objects("queue").stream()
                .filter(waiter -> clientName.equals(waiter.text("name")))
                .min(Comparator.comparingDouble(waiter -> Math.abs(waiter.number("waiting_s") - waited)))
                .map(waiter -> OptionalLong.of((long) waiter.number("position")))
                .orElse(OptionalLong.empty());
        long waiters = (long) document.number("waiter_count");
        long holders = (long) document.number("holder_count");
        List<Answer> oldest = document.objects("holders");
        if (oldest.isEmpty()) {
            return new QueueState(position, waiters, holders, Optional.empty(), Optional.empty());
        }
        Answer first = oldest.getFirst();
        Duration held = Duration.ofMillis((long) (first.number("held_s") * 1000));
        return new QueueState(position, waiters, holders, name(first), Optional.of(held));
    }

    private static Optional<String> name(Answer holder) {
        return Stream.of("name", "address")
                .map(holder::text)
                .filter(text -> !text.isEmpty())
                .findFirst();
    }
}
