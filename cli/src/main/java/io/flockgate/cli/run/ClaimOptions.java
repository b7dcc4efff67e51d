package io.flockgate.cli.run;

import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.Durations;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.options.Arguments;
import io.flockgate.options.Option;
import io.flockgate.options.OptionType;
import io.flockgate.options.Rule;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The claim that a command makes, with its times.
 *
 * @param grace the time from the notice of a loss until nothing may rely on the lease any longer
 * @param name the client's name; empty for the host name and process id
 */
record ClaimOptions(
        String key, long limit, WaitOption patience, Duration lease, Duration grace, Optional<String> name) {
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
        ClaimOptions claim =
                new ClaimOptions(key, limit(arguments), WaitOption.of(arguments), lease, grace, arguments.text(NAME));
        LeaseOptions unused = claim.leaseOptions();
        return claim;
    }

    static long limit(Arguments arguments) {
        return arguments.get(LIMIT);
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
    static <T> T checked(Supplier<T> made) {
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
}
