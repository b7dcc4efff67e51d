package io.flockgate.cli.run;

import io.flockgate.cli.shared.Durations;
import java.time.Duration;
import java.util.Optional;

/** The line that the user sees while a claim waits. Pure. */
final class WaitingText {
    private WaitingText() {}

    static String of(String key, Optional<QueueState> queue, Duration since) {
        StringBuilder text = new StringBuilder("waiting for ").append(key);
        String colon = ": ";
        if (queue.isPresent()) {
            text.append(colon).append(place(queue.get())).append(holder(queue.get()));
            colon = ", ";
        }
        return text.append(colon).append("for ").append(Durations.shown(since)).toString();
    }

    private static String place(QueueState queue) {
        if (queue.position().isPresent()) {
            return ordinal(queue.position().getAsLong()) + " of " + queue.waiters();
        }
        return queue.waiters() == 1 ? "1 in the queue" : queue.waiters() + " in the queue";
    }

    private static String holder(QueueState queue) {
        boolean one = queue.holders() <= 1;
        String others = one ? "" : " and " + (queue.holders() - 1) + (queue.holders() == 2 ? " other" : " others");
        String by = queue.holder().map(name -> " by " + name + others).orElse(one ? "" : " by " + queue.holders());
        String time = queue.held()
                .map(held -> (one ? " for " : ", the longest for ") + Durations.shown(held))
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
