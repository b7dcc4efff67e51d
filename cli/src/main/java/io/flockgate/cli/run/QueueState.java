package io.flockgate.cli.run;

import io.flockgate.cli.shared.JsonAnswer;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * What a gateway reports about a queue.
 *
 * @param position our place, from 1; empty if it is not reported
 * @param waiters the number of waiters, ourselves included: at least 1, even if the gateway has not
 *     seen us yet
 * @param holders the number of holders
 * @param holder the name or address of the oldest holder; empty if it is not reported
 * @param held the time since the oldest grant; empty if it is not reported
 */
record QueueState(OptionalLong position, long waiters, long holders, Optional<String> holder, Optional<Duration> held) {
    QueueState {
        waiters = Math.max(1, waiters);
    }

    /**
     * The queue in the document of a key. Of several waiters with our name, ours is the one whose
     * waiting time matches our own.
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
}
