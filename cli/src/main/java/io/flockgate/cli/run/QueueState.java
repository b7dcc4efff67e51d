package io.flockgate.cli.run;

import io.flockgate.client.json.JsonObject;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a server reports about a queue.
 *
 * @param position our place, from 1; empty if the server does not report it
 * @param waiters the number of waiters, ourselves included: at least 1, even if the server has not
 *     seen us yet
 * @param holders the number of holders; 0 if the server does not report it
 * @param holder the name of the oldest holder; empty if the server does not report it
 * @param held the time since the oldest grant; empty if the server does not report it
 */
record QueueState(OptionalLong position, long waiters, long holders, Optional<String> holder, Optional<Duration> held) {
    QueueState {
        waiters = Math.max(1, waiters);
    }

    /** Only the number of waiters is known. */
    static QueueState ofWaiters(long waiters) {
        return new QueueState(OptionalLong.empty(), waiters, 0, Optional.empty(), Optional.empty());
    }

    void addTo(JsonObject.Builder json) {
        position.ifPresent(place -> json.put("position", place));
        json.put("waiters", waiters);
        if (holders > 0) {
            json.put("holders", holders);
        }
        holder.ifPresent(name -> json.put("holder", name));
        held.ifPresent(time -> json.put("held_s", time.toSeconds()));
    }
}
