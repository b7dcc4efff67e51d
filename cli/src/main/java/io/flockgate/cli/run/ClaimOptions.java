package io.flockgate.cli.run;

import io.flockgate.cli.shared.CommandArguments;
import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.Durations;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.text.Quoting;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The claim that a command makes, with its times.
 *
 * @param patience the maximum time in the queue
 * @param grace the time from the notice of a loss until nothing may rely on the lease any longer
 * @param name the client's name; empty for the host name and process id
 */
record ClaimOptions(String key, long limit, Duration patience, Duration lease, Duration grace, Optional<String> name) {
    static final String USAGE = """
              --limit <n>                 default 1: a lock
                  The maximum number of concurrent holders. All clients of a key must give the same limit,
                  which a free key keeps for a while (--gc-max-idle of the gateway).
              --wait <time>               default forever
                  The maximum wait in the queue: 30s, 5m, 0 (do not wait) or forever.
              --lease <time>              default 30s
                  Whole seconds. The lease is renewed every third of it. If this machine fails, the key
                  is released within this time.
              --name <name>               default: host name and process
                  The client's name, shown to operators.
            """;

    private static final Duration FOREVER = Duration.ofDays(365);
    private static final Duration MAX_GRACE = Duration.ofSeconds(5);
    private static final int GRACE_PART = 6;

    /**
     * @throws CommandException for a value that cannot be used
     */
    static ClaimOptions of(CommandArguments arguments, String key) {
        Duration lease =
                Durations.wholeSeconds("--lease", arguments.text("lease").orElse("30s"));
        Duration sixth = lease.dividedBy(GRACE_PART);
        Duration grace = arguments
                .text("grace")
                .map(text -> Durations.of("--grace", text, "5s, 500ms or 0"))
                .orElse(sixth.compareTo(MAX_GRACE) < 0 ? sixth : MAX_GRACE);
        ClaimOptions claim =
                new ClaimOptions(key, limit(arguments), patience(arguments), lease, grace, arguments.text("name"));
        LeaseOptions unused = claim.leaseOptions();
        return claim;
    }

    static Duration patience(CommandArguments arguments) {
        String text = arguments.text("wait").orElse("forever");
        Duration wait = text.equals("forever") ? FOREVER : Durations.of("--wait", text, "30s, 5m, 0 or forever");
        return wait.compareTo(FOREVER) < 0 ? wait : FOREVER;
    }

    static long limit(CommandArguments arguments) {
        String text = arguments.text("limit").orElse("1");
        try {
            long limit = Long.parseLong(text);
            if (limit >= 1) {
                return limit;
            }
        } catch (NumberFormatException e) {
            // Refused like a number that is too small.
        }
        throw CommandException.usage("--limit must be a whole number of at least 1 (got " + Quoting.quoted(text) + ")");
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
