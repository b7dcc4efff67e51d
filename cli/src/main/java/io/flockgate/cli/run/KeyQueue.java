package io.flockgate.cli.run;

import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.cli.shared.Durations;
import io.flockgate.cli.shared.Json.JsonAnswer;
import io.flockgate.cli.shared.RestClient;
import io.flockgate.cli.shared.RestClient.ServerReply;
import io.flockgate.client.LeaseConfigException;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

/**
 * The queue of a key as the REST API reports it. Without that API, or without the right to read,
 * nothing is reported. Blocks.
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

    /** How to set the limit if a claim with this one was refused because the key has another. */
    String rightLimit(ExecutionException refused, long given) {
        if (!(refused.getCause() instanceof LeaseConfigException)) {
            return "";
        }
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

    /**
     * What a gateway reports about a queue.
     *
     * @param position our place, from 1; empty if it is not reported
     * @param waiters the number of waiters, ourselves included: at least 1, even if the gateway has
     *     not seen us yet
     * @param holders the number of holders
     * @param holder the name or address of the oldest holder; empty if it is not reported
     * @param held the time since the oldest grant; empty if it is not reported
     */
    record QueueState(
            OptionalLong position, long waiters, long holders, Optional<String> holder, Optional<Duration> held) {
        QueueState {
            waiters = Math.max(1, waiters);
        }

        /**
         * The queue in the document of a key. Of several waiters with our name, ours is the one
         * whose waiting time matches our own.
         */
        static QueueState of(JsonAnswer document, String clientName, Duration since) {
            double waited = since.toNanos() / 1e9;
            OptionalLong position = document.objects("queue").stream()
                    .filter(waiter -> clientName.equals(waiter.text("name")))
                    .min(Comparator.comparingDouble(waiter -> Math.abs(waiter.number("waiting_s") - waited)))
                    .map(waiter -> OptionalLong.of((long) waiter.number("position")))
                    .orElse(OptionalLong.empty());
            Optional<JsonAnswer> oldest = document.objects("holders").stream().findFirst();
            return new QueueState(
                    position,
                    (long) document.number("waiter_count"),
                    (long) document.number("holder_count"),
                    oldest.flatMap(QueueState::name),
                    oldest.map(holder -> Duration.ofMillis((long) (holder.number("held_s") * 1000))));
        }

        private static Optional<String> name(JsonAnswer holder) {
            return Stream.of("name", "address")
                    .map(holder::text)
                    .filter(text -> !text.isEmpty())
                    .findFirst();
        }

        void addTo(Map<String, Object> json) {
            position.ifPresent(place -> json.put("position", place));
            json.put("waiters", waiters);
            if (holders > 0) {
                json.put("holders", holders);
            }
            holder.ifPresent(name -> json.put("holder", name));
            held.ifPresent(time -> json.put("held_s", time.toSeconds()));
        }

        /** The line that the user sees while a claim waits. */
        static String text(String key, Optional<QueueState> queue, Duration since) {
            String text = "waiting for " + key + " for " + Durations.shown(since);
            return queue.map(state -> text + ": " + state.place() + state.heldBy())
                    .orElse(text);
        }

        private String place() {
            if (position.isPresent()) {
                return ordinal(position.getAsLong()) + " of " + waiters;
            }
            return waiters == 1 ? "1 in the queue" : waiters + " in the queue";
        }

        private String heldBy() {
            boolean one = holders <= 1;
            String others = one ? "" : " and " + (holders - 1) + (holders == 2 ? " other" : " others");
            String by = holder.map(name -> " by " + name + others).orElse(one ? "" : " by " + holders);
            String time = held.map(longest -> (one ? " for " : ", the longest for ") + Durations.shown(longest))
                    .orElse("");
            return by.isEmpty() && time.isEmpty() ? "" : ", held" + by + time;
        }

        private static String ordinal(long number) {
            long lastTwo = number % 100;
            if (lastTwo >= 11 && lastTwo <= 13) {
                return number + "th";
            }
            return number
                    + switch ((int) (number % 10)) {
                        case 1 -> "st";
                        case 2 -> "nd";
                        case 3 -> "rd";
                        default -> "th";
                    };
        }
    }
}
