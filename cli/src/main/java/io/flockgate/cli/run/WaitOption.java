package io.flockgate.cli.run;

import io.flockgate.cli.shared.Durations;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.options.Arguments;
import io.flockgate.options.Option;
import io.flockgate.options.OptionType;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;

/**
 * The option {@code --wait} of a claim. The first try does not wait: it shows at once whether a
 * server can be reached, and whether it refuses.
 *
 * @param time the maximum wait in the queue
 * @param given whether the caller has chosen it; it then covers reaching a server as well
 */
record WaitOption(Duration time, boolean given) {
    static final Option<Duration> WAIT = Option.flag(
                    "wait", OptionType.alike("time", "a time like 30s, 5m, 0 or forever", WaitOption::read), "forever")
            .help("The maximum wait in the queue: 30s, 5m, 0 (do not wait) or forever. If given, also the wait for a"
                    + " server that cannot be reached.");

    private static final Duration FOREVER = Duration.ofDays(365);

    static WaitOption of(Arguments arguments) {
        return new WaitOption(arguments.get(WAIT), arguments.given(WAIT).isPresent());
    }

    private static Optional<Duration> read(String text) {
        return text.equals("forever")
                ? Optional.of(FOREVER)
                : Durations.read(text).map(wait -> wait.compareTo(FOREVER) < 0 ? wait : FOREVER);
    }

    /** One try of a claim. */
    interface Try<T> {
        /** Claims, and waits in the queue for at most this time; empty if others hold the key. */
        Optional<T> claim(Duration wait) throws ExecutionException;
    }

    /**
     * Claims without a wait, and then with one.
     *
     * @return empty if others hold the key
     * @throws ExecutionException if the gateway refuses, or the result is unknown
     */
    <T> Optional<T> claim(Try<T> key) throws ExecutionException {
        long begun = System.nanoTime();
        boolean queued = true;
        try {
            Optional<T> first = key.claim(Duration.ZERO);
            if (first.isPresent() || time.isZero()) {
                return first;
            }
        } catch (ExecutionException e) {
            boolean unsent = e.getCause() instanceof LeaseUnavailableException end && !end.mayHold();
            if (!unsent || !given || time.isZero()) {
                throw e;
            }
            queued = false;
        }
        Duration left = time.minusNanos(System.nanoTime() - begun);
        try {
            return key.claim(left.isNegative() ? Duration.ZERO : left);
        } catch (ExecutionException e) {
            // After the queue, a lost connection at the end of the wait is no other end than any.
            if (e.getCause() instanceof LeaseUnavailableException end && (queued || end.mayHold())) {
                return Optional.empty();
            }
            throw e;
        }
    }
}
