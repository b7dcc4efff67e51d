package io.flockgate.cli.run;

import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.Durations;
import io.flockgate.client.ConnectOptions;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.options.Arguments;
import io.flockgate.options.Option;
import io.flockgate.options.OptionType;
import io.flockgate.options.Rule;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/**
 * The claim that a command makes, with its times.
 *
 * @param grace the time from the notice of a loss until nothing may rely on the lease any longer
 * @param name the client's name
 */
record ClaimOptions(String key, long limit, WaitOption patience, Duration lease, Duration grace, String name) {
    static final Option<Long> LIMIT = Option.of("limit", "", OptionType.number("n"), "1", Rule.atLeast(1))
            .showing("1: a lock")
            .help("The maximum number of concurrent holders. All clients of a key must give the same limit while it is"
                    + " in use.");
    static final Option<Duration> LEASE = Option.flag("lease", Durations.LEASE, "30s")
            .help("Whole seconds. The lease is renewed every third of it. If this machine fails, the key is released"
                    + " within this time.");
    static final Option<String> NAME =
            Option.text("name", "name").showing("host name and process").help("The client's name, shown to operators.");
    static final Option<Duration> GRACE = Option.flag(
                    "grace", OptionType.alike("time", "a time like 5s, 500ms or 0", Durations::read), "0")
            .showing("a sixth of the lease, at most 5s")
            .help("The time between TERM and KILL.");
    static final Option<Boolean> QUIET = Option.off("quiet").help("Report failures only.");
    static final Option<Boolean> JSON =
            Option.off("json").help("Report each event as a line of JSON on standard error.");

    private static final Duration MAX_GRACE = Duration.ofSeconds(5);
    private static final int GRACE_PART = 6;

    /**
     * @throws CommandException for a value that cannot be used
     */
    static ClaimOptions of(Arguments arguments, String key) {
        Duration lease = arguments.get(LEASE);
        Duration sixth = lease.dividedBy(GRACE_PART);
        Duration usual = sixth.compareTo(MAX_GRACE) < 0 ? sixth : MAX_GRACE;
        Duration grace = arguments.given(GRACE).isPresent() ? arguments.get(GRACE) : usual;
        ClaimOptions claim = of(arguments, key, lease, grace);
        LeaseOptions unused = claim.leaseOptions();
        return claim;
    }

    /**
     * The claim of a lease of this time, which is not renewed.
     *
     * @throws CommandException for a value that cannot be used
     */
    static ClaimOptions kept(Arguments arguments, String key, Duration time) {
        if (arguments.given(LEASE).isPresent()) {
            throw CommandException.usage("--for is the lease: give it without --lease");
        }
        ClaimOptions claim = of(arguments, key, time, Duration.ZERO);
        LeaseOptions unused = checked(() -> claim.builder().build());
        return claim;
    }

    private static ClaimOptions of(Arguments arguments, String key, Duration lease, Duration grace) {
        ConnectOptions client = ConnectOptions.defaults();
        String name = checked(() -> arguments.text(NAME).map(client::clientName).orElse(client))
                .clientName();
        return new ClaimOptions(key, arguments.get(LIMIT), WaitOption.of(arguments), lease, grace, name);
    }

    /**
     * The options of the lease. The client gives it up earlier than it otherwise would, by the
     * length of the grace.
     */
    LeaseOptions leaseOptions() {
        LeaseOptions plain = checked(() -> builder().build());
        Duration room = plain.ttl()
                .minus(plain.renewInterval())
                .minus(plain.requestTimeout())
                .minus(plain.safetyMargin());
        if (grace.compareTo(room) >= 0) {
            throw CommandException.usage("--grace must be under " + room.toMillis() + "ms with --lease "
                    + lease.toSeconds() + "s, because everything must have ended before the lease has");
        }
        return builder().safetyMargin(plain.safetyMargin().plus(grace)).build();
    }

    /**
     * What this makes of the options.
     *
     * @throws CommandException if the client does not accept them
     */
    private static <T> T checked(Supplier<T> made) {
        try {
            return made.get();
        } catch (LeaseConfigException e) {
            // In the words of the command line.
            throw CommandException.usage(String.valueOf(e.getMessage()).replace("the name", "the key"));
        }
    }

    private LeaseOptions.Builder builder() {
        return LeaseOptions.named(key).limit(limit).ttl(lease);
    }

    /**
     * The option {@code --wait} of a claim. The first try does not wait: it shows at once whether a
     * server can be reached, and whether it refuses.
     *
     * @param time the maximum wait in the queue
     * @param given whether the caller has chosen it; it then covers reaching a server as well
     */
    record WaitOption(Duration time, boolean given) {
        static final Option<Duration> WAIT = Option.flag(
                        "wait",
                        OptionType.alike("time", "a time like 30s, 5m, 0 or forever", WaitOption::read),
                        "forever")
                .help(
                        "The maximum wait in the queue: 30s, 5m, 0 (do not wait) or forever. If given, also the wait for a"
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
            /**
             * Claims, and waits in the queue for at most this time; empty if others hold the key.
             */
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
}
